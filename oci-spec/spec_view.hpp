// What Gantry reads of a runtime spec (config.json, runtime-spec 1.0 to 1.3).
// A plain value; sections that are absent or null are empty here. Nothing that
// is not read here is lost: edits go to the JsonDocument, not through this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oci-spec/json_document.hpp"

namespace gantry::oci {

struct SpecDevice {          // linux.devices[]
    std::string path;        // as written
    std::string type;        // "c", "b", "u", "p"
    std::int64_t major = 0, minor = 0;
    std::optional<std::uint32_t> file_mode;
    std::optional<std::uint32_t> uid, gid;  // container ids
};

struct SpecDeviceRule {      // linux.resources.devices[]
    bool allow = false;
    std::string type = "a";  // absent means "a"
    std::optional<std::int64_t> major, minor;  // nullopt (absent or -1): any
    std::string access;      // subset of "rwm"
};

struct SpecMount {
    std::string destination, type, source;
    std::vector<std::string> options;
    [[nodiscard]] bool is_bind() const;  // type bind, or option bind/rbind
};

struct IdMapping { std::uint64_t container_id = 0, host_id = 0, size = 0; };

struct SpecNamespace { std::string type, path; };  // empty path: a new one

struct SpecRlimit { std::string type; std::uint64_t soft = 0, hard = 0; };  // process.rlimits[]

struct SpecHook { std::string stage, path; std::vector<std::string> args; };  // in stage order

struct SpecView {
    bool has_process = false;
    bool terminal = false;
    std::vector<std::string> args;
    std::vector<std::string> env;          // every string entry, odd ones too
    std::uint32_t uid = 0, gid = 0;
    std::vector<std::uint32_t> additional_gids;
    std::vector<std::string> bounding_capabilities;
    std::vector<SpecRlimit> rlimits;
    std::string root_path;
    bool root_readonly = false;
    std::vector<SpecMount> mounts;
    std::map<std::string, std::string> annotations;
    std::vector<SpecHook> hooks;
    bool has_linux = false;
    std::vector<SpecDevice> devices;
    std::vector<SpecDeviceRule> device_rules;
    std::vector<SpecNamespace> namespaces;
    std::vector<IdMapping> uid_mappings, gid_mappings;
    std::string cgroups_path;

    // The value that counts: the last entry of that exact name (runc and crun
    // both let the last one win). Entries without '=' or name do not count.
    [[nodiscard]] std::optional<std::string> env_value(std::string_view name) const;
    [[nodiscard]] const SpecNamespace* find_namespace(std::string_view type) const;
    [[nodiscard]] bool has_new_user_namespace() const;
    // One rule allows everything and no later one denies: `docker run --privileged`.
    [[nodiscard]] bool allows_all_devices() const;
};

// Never fails: a member of the wrong type counts as absent, because the
// low-level runtime is the one to complain about it. Strings may hold NUL bytes.
[[nodiscard]] SpecView extract_spec_view(const JsonDocument& document);

// "/dev//kfd/" and "/dev/./kfd" are "/dev/kfd"; ".." is resolved lexically.
[[nodiscard]] std::string clean_path(std::string_view path);

}  // namespace gantry::oci
