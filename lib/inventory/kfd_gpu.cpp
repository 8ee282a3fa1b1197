#include "inventory/kfd_gpu.hpp"

#include <cstdio>

#include "inventory/gpu_names.hpp"

namespace gantry::inventory {
namespace {

// mem_banks heap_type: frame buffer that the CPU sees, and that it does not
// (include/uapi/linux/kfd_sysfs.h).
constexpr std::uint64_t kHeapPublic = 1, kHeapPrivate = 2;

void read_memory(const host::KfdNode& node, Gpu& gpu) {
    std::uint64_t bytes = 0;
    for (const host::KfdMemoryBank& bank : node.banks)
        if (bank.heap_type == kHeapPublic || bank.heap_type == kHeapPrivate) bytes += bank.bytes;
    // Kernels before the banks held it told it here; now it is always 0.
    if (node.banks.empty()) bytes = kfd_property_or_zero(node, "local_mem_size");
    if (bytes > 0) gpu.memory_bytes = bytes;
    // Three signs of a GPU without memory of its own: old kernels merge it with
    // the CPU's node, the PCI id is known as one, all its banks are the system's.
    // A carve-out of system memory shows as a bank of type 1.
    const auto device = static_cast<std::uint32_t>(kfd_property_or_zero(node, "device_id"));
    gpu.integrated = kfd_property_or_zero(node, "cpu_cores_count") > 0 ||
                     is_amd_integrated(device) || (!node.banks.empty() && bytes == 0);
}

}  // namespace

std::optional<std::uint64_t> kfd_property(const host::KfdNode& node, const char* name) {
    const auto found = node.properties.find(name);
    if (found == node.properties.end()) return std::nullopt;
    return found->second;
}

std::uint64_t kfd_property_or_zero(const host::KfdNode& node, const char* name) {
    return kfd_property(node, name).value_or(0);
}

bool is_kfd_gpu(const host::KfdNode& node) {
    if (node.gpu_id) return *node.gpu_id != 0;
    return kfd_property_or_zero(node, "simd_count") > 0 ||
           kfd_property_or_zero(node, "drm_render_minor") > 0;
}

void read_kfd_gpu(const host::KfdNode& node, Gpu& gpu) {
    gpu.kfd_node = node.index;
    const auto gfx = kfd_property_or_zero(node, "gfx_target_version");
    if (gfx >= 10000 && gfx <= 999999) gpu.gfx = decode_gfx_target_version(gfx);
    if (const auto id = kfd_property_or_zero(node, "unique_id")) {
        char text[24];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
        gpu.unique_id = text;
    }
    read_memory(node, gpu);
}

}  // namespace gantry::inventory
