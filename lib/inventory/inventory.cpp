#include "inventory/inventory.hpp"

#include <algorithm>

#include "inventory/vendor_gpus.hpp"

namespace gantry::inventory {
namespace {

constexpr std::string_view kRenderNode = "/dev/dri/renderD";
// An error has 500 bytes in all (base/error.hpp).
constexpr std::size_t kMaxDescribed = 6;

}  // namespace

const host::DeviceNode* Gpu::render_node() const {
    for (const host::DeviceNode& node : nodes)
        if (node.path.starts_with(kRenderNode)) return &node;
    return nullptr;
}

std::vector<const Gpu*> Inventory::of(Vendor vendor) const {
    std::vector<const Gpu*> found;
    for (const Gpu& gpu : gpus)
        if (gpu.vendor == vendor) found.push_back(&gpu);
    return found;
}

std::string Inventory::unread(Vendor vendor) const {
    if (vendor == Vendor::Amd && !amd_doubt.empty()) return amd_doubt;
    for (const Gpu& gpu : gpus)
        if (gpu.vendor == vendor && gpu.unread) return gpu.unusable;
    return {};
}

Inventory build_inventory(const host::HostFacts& facts) {
    Inventory inventory;
    inventory.simulated = facts.simulated;
    inventory.amdgpu_version = facts.amdgpu_version;
    inventory.nvidia_version = facts.nvidia_version;
    inventory.nvidia_libraries = facts.nvidia_libraries;
    inventory.nvidia_binaries = facts.nvidia_binaries;
    inventory.notices = facts.problems;
    add_amd(facts, inventory);
    add_nvidia(facts, inventory);
    return inventory;
}

std::string describe_gpus(const Inventory& inventory, Vendor vendor) {
    const std::vector<const Gpu*> gpus = inventory.of(vendor);
    if (gpus.empty()) return "none";
    std::string text;
    const std::size_t shown = std::min(gpus.size(), kMaxDescribed);
    for (std::size_t i = 0; i < shown; ++i) {
        const Gpu& gpu = *gpus[i];
        if (i > 0) text += ", ";
        text += std::to_string(gpu.index) + " (" + gpu.name + ", " + gpu.pci_address;
        text += gpu.unusable.empty() ? ")" : ", not usable)";
    }
    if (shown < gpus.size())
        text += " and " + std::to_string(gpus.size() - shown) + " more up to " +
                std::to_string(gpus.back()->index);
    return text;
}

const host::DeviceNode* find_node(const host::HostFacts& facts, const std::string& path) {
    const auto found = std::lower_bound(
        facts.nodes.begin(), facts.nodes.end(), path,
        [](const host::DeviceNode& node, const std::string& key) { return node.path < key; });
    return found != facts.nodes.end() && found->path == path ? &*found : nullptr;
}

const host::PciDevice* find_pci(const host::HostFacts& facts, const std::string& address) {
    for (const host::PciDevice& device : facts.pci_devices)
        if (device.address == address) return &device;
    return nullptr;
}

std::string describe_number(const host::DeviceNode& node) {
    return std::string(1, node.type) + " " + std::to_string(node.major) + ":" +
           std::to_string(node.minor);
}

}  // namespace gantry::inventory
