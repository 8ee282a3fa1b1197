// Mount points that an edit of Gantry's made the low-level runtime create in a
// container's rootfs: files and folders for the driver's libraries and tools.
#pragma once

#include <string>
#include <vector>

#include "app/record.hpp"
#include "oci-spec/container_edits.hpp"

namespace gantry::app {

// Of the mounts of the edits, what is not in the rootfs yet, parents first.
[[nodiscard]] std::vector<std::string> missing_mount_points(const std::string& rootfs,
                                                            const oci::ContainerEdits& edits);

// At the container's delete: takes away what is still empty, by descriptor. To
// remove a mount point takes the mount away in every mount namespace, so not
// while the container runs, nor while another one with a record runs on the same
// rootfs.
void remove_mount_points(const std::string& state_folder, const Record& record);

}  // namespace gantry::app
