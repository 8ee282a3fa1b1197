// Container edits in the shape of CDI 1.1 (containerEdits), each with the
// reason a person can read. What CDI cannot say (removing a variable, a rule
// for a device that is already there) is marked below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::oci {

struct EnvEdit {
    std::string name;
    std::optional<std::string> value;  // nullopt: every entry of that name goes (not in CDI)
    std::string reason;
};

struct DeviceEdit {
    std::string path;       // in the container
    char type = 'c';
    std::uint32_t major = 0, minor = 0;
    std::uint32_t file_mode = 0;       // permission bits only
    std::uint32_t uid = 0, gid = 0;    // container ids
    std::string permissions = "rw";    // of the allow rule; KFD needs no mknod right
    bool add_node = true;   // false: the node is in the spec already (not in CDI)
    bool add_rule = true;   // false: a rule in the spec allows it already (not in CDI)
    std::string reason;
};

struct MountEdit {
    std::string host_path;
    std::string container_path;
    std::vector<std::string> options;
    std::string reason;
};

struct GidEdit {
    std::uint32_t gid = 0;  // container id
    std::string reason;
};

struct ContainerEdits {
    std::vector<EnvEdit> env;
    std::vector<DeviceEdit> devices;
    std::vector<MountEdit> mounts;
    std::vector<GidEdit> additional_gids;

    [[nodiscard]] bool empty() const {
        return env.empty() && devices.empty() && mounts.empty() && additional_gids.empty();
    }
};

}  // namespace gantry::oci
