// The parts of read_host_facts, one a source. Each adds to the facts what its
// source tells and puts what it could not read into `problems`.
#pragma once

#include <string>

#include "host/facts.hpp"
#include "host/host_root.hpp"

namespace gantry::host {

// /sys/class/kfd: kfd_present, kfd_nodes; /sys/module/amdgpu/version.
void read_kfd(const HostRoot& root, HostFacts& facts);

// /sys/class/drm: drm_nodes. After read_kfd.
void read_drm(const HostRoot& root, HostFacts& facts);

// /sys/bus/pci/devices: pci_devices. After read_drm, which names amdgpu's.
void read_pci(const HostRoot& root, FactsWanted wanted, HostFacts& facts);

// /proc/driver/nvidia: nvidia_version, nvidia_gpus.
void read_nvidia_proc(const HostRoot& root, HostFacts& facts);

// nvidia_libraries and nvidia_binaries. After read_nvidia_proc.
void read_driver_files(const HostRoot& root, HostFacts& facts);

// The character section of /proc/devices: char_majors.
void read_char_majors(const HostRoot& root, HostFacts& facts);

// "/sys/… does not exist (ENOENT)", one sentence for `problems`.
[[nodiscard]] std::string unreadable(const std::string& path, int error_number);

}  // namespace gantry::host
