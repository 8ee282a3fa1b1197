// The only way by which Gantry reads the host: a folder that stands for "/".
// With "/" it is the real host; any other folder is a simulated one, whose
// device nodes are real nodes below its dev/ or, where those cannot be made,
// listed in its nodes.json.
//
// Nothing here changes anything, and no path leaves the root: symbolic links
// inside the folder are resolved within it (openat2 RESOLVE_IN_ROOT).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "host/facts.hpp"

namespace gantry::host {

class HostRoot {
public:
    // `path` must be absolute. Error: HostUnreadable.
    [[nodiscard]] static Result<HostRoot> open(std::string path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool simulated() const { return path_ != "/"; }

    // All paths are absolute as on the host ("/sys/class/kfd").
    // Contents up to max_bytes (sysfs and procfs files are small); nullopt and
    // *error_number set where it cannot be opened or read.
    [[nodiscard]] std::optional<std::string> read(const std::string& path,
                                                  int* error_number = nullptr,
                                                  std::size_t max_bytes = 1U << 20) const;
    // Sorted base names; empty where the folder cannot be read.
    [[nodiscard]] std::vector<std::string> list(const std::string& folder) const;
    [[nodiscard]] bool exists(const std::string& path) const;
    // Text of a symbolic link, nullopt where it is none.
    [[nodiscard]] std::optional<std::string> link_target(const std::string& path) const;
    // A character or block device; from nodes.json first on a simulated host.
    [[nodiscard]] std::optional<DeviceNode> node(const std::string& path) const;
    // All nodes directly in a folder, by path; only those whose base name begins
    // with `prefix`.
    [[nodiscard]] std::vector<DeviceNode> nodes_in(const std::string& folder,
                                                   std::string_view prefix = {}) const;
    // Where the file really is, for a mount source: root path + path, links in
    // it resolved inside the root. nullopt where it is no regular file.
    [[nodiscard]] std::optional<std::string> regular_file(const std::string& path) const;

    // Lower level, for readers that go through a large folder once: a descriptor
    // by open(2) flags (errno set where it is empty), and the path behind one.
    [[nodiscard]] UniqueFd open_path(const std::string& path, int flags) const;
    [[nodiscard]] std::optional<std::string> real_path(int fd) const;

private:
    HostRoot(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
    std::string path_;
    UniqueFd fd_;
    std::string real_root_;                 // path_ with the links on its own way resolved
    std::vector<DeviceNode> listed_nodes_;  // nodes.json, by path
};

// What the reader need not look at costs nothing.
struct FactsWanted {
    bool amd = true;
    bool nvidia = true;  // NVIDIA's driver files too, where its driver is loaded
    // GPUs that no vendor driver holds (vfio-pci, nouveau, none). A read for each
    // PCI function of the host, so only for a person who asks what there is.
    bool unclaimed = true;
};

// Reads what Gantry wants to know of a host. Unreadable files become `problem`
// texts; a broken nodes.json was HostRoot::open's error.
[[nodiscard]] Result<HostFacts> read_host_facts(const HostRoot& root, FactsWanted wanted = {});

}  // namespace gantry::host
