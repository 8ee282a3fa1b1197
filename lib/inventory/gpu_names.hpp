// What is known of AMD's GPUs by their PCI id, where the kernel does not say it.
#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::inventory {

// Marketing name by PCI device id and revision; empty where unknown.
[[nodiscard]] std::string_view amd_gpu_name(std::uint32_t device, std::uint32_t revision);

// A part of a CPU, which has no memory of its own.
[[nodiscard]] bool is_amd_integrated(std::uint32_t device);

}  // namespace gantry::inventory
