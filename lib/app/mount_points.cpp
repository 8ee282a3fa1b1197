#include "app/mount_points.hpp"

#include "app/container_state.hpp"
#include "sys/rootfs.hpp"

namespace gantry::app {

std::vector<std::string> missing_mount_points(const std::string& rootfs,
                                              const oci::ContainerEdits& edits) {
    if (edits.mounts.empty()) return {};
    const auto root = sys::Rootfs::open(rootfs);
    if (!root) return {};
    std::vector<std::string> paths;
    for (const oci::MountEdit& edit : edits.mounts) paths.push_back(edit.container_path);
    return root->missing(paths);
}

void remove_mount_points(const std::string& state_folder, const Record& record) {
    if (record.mount_points.empty() || container_runs(record)) return;
    // One that is being made at this very moment cannot be told from one whose
    // create failed; it finds its mount points missing and says so.
    for (const RecordedContainer& other : list_live_containers(state_folder)) {
        const bool itself = other.record.root == record.root && other.record.id == record.id;
        if (!itself && other.record.rootfs == record.rootfs) return;
    }
    if (const auto root = sys::Rootfs::open(record.rootfs))
        root->remove_if_empty(record.mount_points);
}

}  // namespace gantry::app
