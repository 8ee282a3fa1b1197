// Who else uses an AMD GPU just now, as the kernel tells it to anyone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/host_root.hpp"

namespace gantry::host {

struct AmdUsage {
    unsigned processes = 0;  // that hold its memory through KFD
    std::optional<std::uint64_t> used_bytes, total_bytes;  // of its own memory, by everybody
};

// `kfd_node` as in the topology. /sys/class/kfd/kfd/proc/PID/vram_GPUID
// (kfd_process.c, Linux 5.8) and mem_info_vram_* of the PCI device
// (amdgpu_vram_mgr.c). What is not there is left out.
[[nodiscard]] AmdUsage read_amd_usage(const HostRoot& root, unsigned kfd_node,
                                      const std::string& pci_address);

}  // namespace gantry::host
