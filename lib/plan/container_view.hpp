// What the container has by its spec alone, before any edit of ours: nodes,
// rules, user and groups.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/steps.hpp"

namespace gantry::plan {

// The entry that counts for a path: the runtimes' mknod of a path that is there
// already is ignored, so the first one.
[[nodiscard]] const oci::SpecDevice* find_device(const oci::SpecView& spec,
                                                 const std::string& path);

// A bind mount at or above the path brings its own nodes: an entry in
// linux.devices would be hidden by it, or made in the host's folder.
[[nodiscard]] const oci::SpecMount* covering_bind(const oci::SpecView& spec,
                                                  const std::string& path);

// A rule of the spec lets the node be opened for reading and writing.
[[nodiscard]] bool rules_allow(const oci::SpecView& spec, const host::DeviceNode& node);

// The container can open the node without us. Which user may is not asked.
[[nodiscard]] bool opens_already(const Context& context, const host::DeviceNode& node);

// Host group as the container numbers it; nullopt where its user namespace does
// not map it, or does not tell (a namespace given by path without mappings).
[[nodiscard]] std::optional<std::uint32_t> container_gid(const oci::SpecView& spec,
                                                         std::uint32_t host_gid);

// The host's number of the user that the container's process runs as.
[[nodiscard]] std::optional<std::uint32_t> host_uid_of_process(const oci::SpecView& spec);

}  // namespace gantry::plan
