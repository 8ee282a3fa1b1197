// What one node of the KFD topology says by itself.
#pragma once

#include <cstdint>
#include <optional>

#include "host/facts.hpp"
#include "inventory/inventory.hpp"

namespace gantry::inventory {

[[nodiscard]] std::optional<std::uint64_t> kfd_property(const host::KfdNode& node,
                                                        const char* name);
[[nodiscard]] std::uint64_t kfd_property_or_zero(const host::KfdNode& node, const char* name);

// gpu_id is the kernel's own word for it; without it the shape of the node.
[[nodiscard]] bool is_kfd_gpu(const host::KfdNode& node);

// Sets gfx, unique_id, memory_bytes, integrated and kfd_node.
void read_kfd_gpu(const host::KfdNode& node, Gpu& gpu);

}  // namespace gantry::inventory
