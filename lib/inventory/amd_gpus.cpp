// KFD decides which AMD GPUs can compute; DRM tells their nodes and the PCI
// device behind them. Numbers of different systems are never taken for each
// other: KFD node -> drm_render_minor -> renderD node -> device.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "host/pci_address.hpp"
#include "inventory/gpu_names.hpp"
#include "inventory/vendor_gpus.hpp"

namespace gantry::inventory {
namespace {

using host::DrmNode;
using host::KfdNode;
using host::PciAddress;

constexpr const char* kKfd = "/dev/kfd";
constexpr const char* kDri = "/dev/dri/";
constexpr std::uint32_t kDrmMajor = 226;  // include/uapi/linux/major.h
// The range that the ROCm thunk accepts (libhsakmt topology.c); it fails for all
// GPUs where one is outside.
constexpr std::uint64_t kFirstRender = 128, kLastRender = 255;
// mem_banks heap_type: frame buffer that the CPU sees, and that it does not.
constexpr std::uint64_t kHeapPublic = 1, kHeapPrivate = 2;

struct Found {
    Gpu gpu;
    std::optional<PciAddress> card;  // function 0 for partitions; orders the GPUs
    std::uint64_t render_minor = 0;
    std::uint64_t location = 0;
};

std::optional<std::uint64_t> property(const KfdNode& node, const char* name) {
    const auto found = node.properties.find(name);
    if (found == node.properties.end()) return std::nullopt;
    return found->second;
}

std::uint64_t property_or_zero(const KfdNode& node, const char* name) {
    return property(node, name).value_or(0);
}

// gpu_id is the kernel's own word for it; without it the shape of the node.
bool is_gpu(const KfdNode& node) {
    if (node.gpu_id) return *node.gpu_id != 0;
    return property_or_zero(node, "simd_count") > 0 ||
           property_or_zero(node, "drm_render_minor") > 0;
}

class AmdBuilder {
public:
    AmdBuilder(const host::HostFacts& facts, Inventory& inventory)
        : facts_(facts), inventory_(inventory) {}

    void build() {
        const host::DeviceNode* kfd = host_node(kKfd);
        if (kfd != nullptr) inventory_.amd_control.push_back(*kfd);
        for (const KfdNode& node : facts_.kfd_nodes) {
            add_topology(node);
            if (!node.problem.empty()) inventory_.notices.push_back(node.problem);
            if (is_gpu(node)) found_.push_back(read(node, kfd != nullptr));
        }
        std::sort(found_.begin(), found_.end(), before);
        number_partitions();
        unsigned index = 0;
        for (Found& found : found_) {
            found.gpu.index = index++;
            if (!found.gpu.gfx && !found.gpu.pci_address.empty())
                inventory_.notices.push_back("the kernel does not tell the gfx target of AMD GPU " +
                                             std::to_string(found.gpu.index) + " (" +
                                             found.gpu.pci_address + ")");
            inventory_.gpus.push_back(std::move(found.gpu));
        }
        add_without_kfd(index);
        add_unclaimed(facts_, {Vendor::Amd, 0x1002, "amdgpu"}, inventory_);
    }

private:
    void add_topology(const KfdNode& node) {
        TopologyNode entry;
        entry.index = node.index;
        const bool readable = node.gpu_id || !node.properties.empty();
        entry.is_cpu = readable && !is_gpu(node);
        if (const auto minor = property_or_zero(node, "drm_render_minor"))
            entry.render_minor = static_cast<std::uint32_t>(minor);
        inventory_.topology.push_back(entry);
    }

    Found read(const KfdNode& node, bool has_kfd) const {
        Found found;
        Gpu& gpu = found.gpu;
        gpu.kfd_node = node.index;
        const auto gfx = property_or_zero(node, "gfx_target_version");
        if (gfx >= 10000 && gfx <= 999999) gpu.gfx = decode_gfx_target_version(gfx);
        found.render_minor = property_or_zero(node, "drm_render_minor");
        found.location = property_or_zero(node, "location_id");
        const DrmNode* render = drm_node("renderD" + std::to_string(found.render_minor));
        found.card = address_of(node, render);
        if (found.card) gpu.pci_address = found.card->text();
        if (const auto id = property_or_zero(node, "unique_id")) gpu.unique_id = hex16(id);
        read_memory(node, gpu);
        read_name(node, gpu);
        add_nodes(render, found);
        if (gpu.unusable.empty() && !has_kfd)
            gpu.unusable = "/dev/kfd is missing; load the amdgpu module";
        if (node.properties.empty()) gpu.unusable = node.problem;
        return found;
    }

    // From the DRM device where that is a PCI device. Partitions behind the
    // first are platform devices, and the function bits of their location_id are
    // the partition's number, not a PCI function.
    static std::optional<PciAddress> address_of(const KfdNode& node, const DrmNode* render) {
        if (render != nullptr)
            if (const auto address = host::parse_pci_address(render->device)) return address;
        const auto location = property(node, "location_id");
        if (!location) return std::nullopt;
        return PciAddress{property_or_zero(node, "domain"),
                          static_cast<unsigned>(*location >> 8 & 0xff),
                          static_cast<unsigned>(*location >> 3 & 0x1f), 0};
    }

    static void read_memory(const KfdNode& node, Gpu& gpu) {
        std::uint64_t bytes = 0;
        for (const host::KfdMemoryBank& bank : node.banks)
            if (bank.heap_type == kHeapPublic || bank.heap_type == kHeapPrivate)
                bytes += bank.bytes;
        // Kernels before the banks held it told it here; now it is always 0.
        if (node.banks.empty()) bytes = property_or_zero(node, "local_mem_size");
        if (bytes > 0) gpu.memory_bytes = bytes;
        // Three signs of a GPU without memory of its own: old kernels merge it
        // with the CPU's node, the PCI id is known as one, all its banks are the
        // system's. A carve-out of system memory shows as a bank of type 1.
        gpu.integrated =
            property_or_zero(node, "cpu_cores_count") > 0 ||
            is_amd_integrated(static_cast<std::uint32_t>(property_or_zero(node, "device_id"))) ||
            (!node.banks.empty() && bytes == 0);
    }

    void read_name(const KfdNode& node, Gpu& gpu) const {
        const host::PciDevice* pci = find_pci(facts_, gpu.pci_address);
        const auto device = static_cast<std::uint32_t>(property_or_zero(node, "device_id"));
        if (pci != nullptr && !pci->product_name.empty()) {
            gpu.name = pci->product_name;
            return;
        }
        gpu.name = amd_gpu_name(device, pci != nullptr ? pci->revision : 0);
        if (!gpu.name.empty()) return;
        char id[16];
        std::snprintf(id, sizeof id, "1002:%04x", device & 0xffff);
        gpu.name = id;
    }

    void add_nodes(const DrmNode* render, Found& found) const {
        Gpu& gpu = found.gpu;
        if (found.render_minor < kFirstRender || found.render_minor > kLastRender) {
            gpu.unusable = "KFD names no render node for it (drm_render_minor " +
                           std::to_string(found.render_minor) + ")";
            return;
        }
        const std::string path = kDri + ("renderD" + std::to_string(found.render_minor));
        const host::DeviceNode* node = host_node(path);
        if (node == nullptr) {
            gpu.unusable = path + " is missing; check udev";
            return;
        }
        if (node->type != 'c' || node->major != kDrmMajor || node->minor != found.render_minor) {
            gpu.unusable = path + " is " + describe_number(*node) + " instead of c 226:" +
                           std::to_string(found.render_minor);
            return;
        }
        gpu.nodes.push_back(*node);
        if (render == nullptr || render->device.empty()) return;
        for (const DrmNode& drm : facts_.drm_nodes)
            if (drm.device == render->device && drm.name.starts_with("card"))
                if (const host::DeviceNode* card = host_node(kDri + drm.name))
                    gpu.nodes.push_back(*card);
    }

    static bool before(const Found& a, const Found& b) {
        if (a.card.has_value() != b.card.has_value()) return a.card.has_value();
        if (a.card && *a.card != *b.card) return *a.card < *b.card;
        return a.render_minor < b.render_minor;
    }

    // Several KFD nodes at one address are the partitions of one card.
    void number_partitions() {
        for (std::size_t begin = 0; begin < found_.size();) {
            const std::optional<PciAddress>& card = found_[begin].card;
            std::size_t end = begin + 1;
            while (end < found_.size() && card && found_[end].card == card) ++end;
            if (end - begin > 1)
                for (std::size_t i = begin; i < end; ++i)
                    found_[i].gpu.partition = static_cast<unsigned>(found_[i].location & 7);
            begin = end;
        }
    }

    // Cards that amdgpu drives for display alone: too old for compute, or the
    // kernel was built without KFD.
    void add_without_kfd(unsigned index) {
        std::vector<PciAddress> addresses;
        for (const DrmNode& drm : facts_.drm_nodes)
            if (const auto address = host::parse_pci_address(drm.device);
                address && drm.driver == "amdgpu")
                addresses.push_back(*address);
        std::sort(addresses.begin(), addresses.end());
        addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
        for (const PciAddress& address : addresses) {
            const std::string text = address.text();
            if (std::any_of(inventory_.gpus.begin(), inventory_.gpus.end(),
                            [&](const Gpu& gpu) { return gpu.pci_address == text; }))
                continue;
            Gpu gpu;
            gpu.index = index++;
            gpu.pci_address = text;
            const host::PciDevice* pci = find_pci(facts_, text);
            const std::string_view name =
                pci == nullptr ? std::string_view{} : amd_gpu_name(pci->device, pci->revision);
            gpu.name = name.empty() ? "AMD GPU" : std::string(name);
            gpu.unusable = facts_.kfd_present
                               ? "amdgpu drives it, but KFD does not list it: no compute support"
                               : "/sys/class/kfd is missing: this kernel has no KFD";
            inventory_.gpus.push_back(std::move(gpu));
        }
    }

    [[nodiscard]] const host::DeviceNode* host_node(const std::string& path) const {
        return find_node(facts_, path);
    }

    [[nodiscard]] const DrmNode* drm_node(const std::string& name) const {
        const auto found = std::lower_bound(
            facts_.drm_nodes.begin(), facts_.drm_nodes.end(), name,
            [](const DrmNode& node, const std::string& key) { return node.name < key; });
        return found != facts_.drm_nodes.end() && found->name == name ? &*found : nullptr;
    }

    static std::string hex16(std::uint64_t value) {
        char text[24];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
        return text;
    }

    const host::HostFacts& facts_;
    Inventory& inventory_;
    std::vector<Found> found_;
};

}  // namespace

void add_amd(const host::HostFacts& facts, Inventory& inventory) {
    AmdBuilder(facts, inventory).build();
}

}  // namespace gantry::inventory
