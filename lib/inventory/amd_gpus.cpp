// KFD decides which AMD GPUs can compute; DRM tells their nodes and the PCI
// device behind them. Numbers of different systems are never taken for each
// other: KFD node -> drm_render_minor -> renderD node -> device.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "host/pci_address.hpp"
#include "inventory/gpu_names.hpp"
#include "inventory/kfd_gpu.hpp"
#include "inventory/vendor_gpus.hpp"

namespace gantry::inventory {
namespace {

using host::DrmNode;
using host::KfdNode;
using host::PciAddress;

constexpr const char* kKfd = "/dev/kfd";
constexpr const char* kNoTopology = "/sys/class/kfd/kfd/topology/nodes/ is empty or cannot be read";
constexpr const char* kDri = "/dev/dri/";
constexpr std::uint32_t kDrmMajor = 226;  // include/uapi/linux/major.h
// The range that the ROCm thunk accepts (libhsakmt topology.c); it fails for all
// GPUs where one is outside.
constexpr std::uint64_t kFirstRender = 128, kLastRender = 255;

struct Found {
    Gpu gpu;
    std::optional<PciAddress> card;  // function 0 for partitions; orders the GPUs
    std::uint64_t render_minor = 0;
    std::uint64_t location = 0;
};

class AmdBuilder {
public:
    AmdBuilder(const host::HostFacts& facts, Inventory& inventory)
        : facts_(facts), inventory_(inventory) {}

    void build() {
        check_kfd();
        for (const KfdNode& node : facts_.kfd_nodes) {
            add_topology(node);
            if (!node.problem.empty()) inventory_.notices.push_back(node.problem);
            if (is_kfd_gpu(node)) found_.push_back(read(node));
            doubt(node);
        }
        if (facts_.kfd_present && facts_.kfd_nodes.empty()) inventory_.amd_doubt = kNoTopology;
        place_the_unread();
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
        if (!inventory_.amd_doubt.empty())
            inventory_.notices.push_back("the index of an AMD GPU may be another's until that can "
                                         "be read; ask by PCI address or unique id");
        add_unclaimed(facts_, {Vendor::Amd, 0x1002, "amdgpu"}, inventory_);
    }

private:
    // The major is dynamic: a node kept from an earlier boot can be another
    // driver's by now.
    void check_kfd() {
        const host::DeviceNode* node = find_node(facts_, kKfd);
        const auto major = facts_.char_majors.find("kfd");
        if (!facts_.majors_problem.empty()) {
            kfd_problem_ = facts_.majors_problem;
        } else if (node == nullptr) {
            kfd_problem_ = "/dev/kfd is missing; load the amdgpu module";
        } else if (major != facts_.char_majors.end() && node->major != major->second) {
            kfd_problem_ = "/dev/kfd is " + describe_number(*node) + " instead of c " +
                           std::to_string(major->second) + ":0";
        } else {
            inventory_.amd_control.push_back(*node);
        }
    }

    void add_topology(const KfdNode& node) {
        TopologyNode entry;
        entry.index = node.index;
        const bool readable = node.gpu_id || !node.properties.empty();
        entry.is_cpu = readable && !is_kfd_gpu(node);
        if (const auto minor = kfd_property_or_zero(node, "drm_render_minor"))
            entry.render_minor = static_cast<std::uint32_t>(minor);
        inventory_.topology.push_back(entry);
    }

    Found read(const KfdNode& node) const {
        Found found;
        Gpu& gpu = found.gpu;
        read_kfd_gpu(node, gpu);
        found.render_minor = kfd_property_or_zero(node, "drm_render_minor");
        found.location = kfd_property_or_zero(node, "location_id");
        const DrmNode* render = drm_node("renderD" + std::to_string(found.render_minor));
        found.card = address_of(node, render);
        if (found.card) gpu.pci_address = found.card->text();
        gpu.name = name_of(static_cast<std::uint32_t>(kfd_property_or_zero(node, "device_id")),
                           gpu.pci_address);
        add_nodes(render, found);
        if (gpu.unusable.empty()) {
            gpu.unusable = kfd_problem_;
            gpu.unread = !facts_.majors_problem.empty();
        }
        if (!kfd_property(node, "drm_render_minor")) {
            gpu.unusable = unread_text(node);
            gpu.unread = true;
        }
        return found;
    }

    // Of a node of which nothing is known nobody can say that it is a CPU's.
    static bool is_unknown(const KfdNode& node) { return !node.gpu_id && node.properties.empty(); }

    static std::string unread_text(const KfdNode& node) {
        if (!node.problem.empty()) return node.problem;
        return "KFD node " + std::to_string(node.index) + " tells no " +
               (kfd_property(node, "location_id") ? "drm_render_minor" : "location_id");
    }

    void doubt(const KfdNode& node) {
        if (!inventory_.amd_doubt.empty()) return;
        if (is_unknown(node) || (is_kfd_gpu(node) && !found_.back().card))
            inventory_.amd_doubt = unread_text(node);
    }

    // The one GPU without an address is the one card that KFD does not list, which
    // helps a person who looks at the list. Its index stays in doubt.
    void place_the_unread() {
        const auto is_unplaced = [](const Found& found) { return !found.card; };
        const auto unplaced = std::find_if(found_.begin(), found_.end(), is_unplaced);
        const std::vector<PciAddress> cards = cards_without_kfd();
        if (cards.size() != 1 || std::count_if(found_.begin(), found_.end(), is_unplaced) != 1)
            return;
        unplaced->card = cards.front();
        unplaced->gpu.pci_address = cards.front().text();
        unplaced->gpu.name = name_of(0, unplaced->gpu.pci_address);
    }

    // From the DRM device where that is a PCI device. Partitions behind the
    // first are platform devices, and the function bits of their location_id are
    // the partition's number, not a PCI function.
    static std::optional<PciAddress> address_of(const KfdNode& node, const DrmNode* render) {
        if (render != nullptr)
            if (const auto address = host::parse_pci_address(render->device)) return address;
        const auto location = kfd_property(node, "location_id");
        if (!location) return std::nullopt;
        return PciAddress{kfd_property_or_zero(node, "domain"),
                          static_cast<unsigned>(*location >> 8 & 0xff),
                          static_cast<unsigned>(*location >> 3 & 0x1f), 0};
    }

    // `device`: KFD's device_id, 0 where it tells none.
    [[nodiscard]] std::string name_of(std::uint32_t device, const std::string& address) const {
        const host::PciDevice* pci = find_pci(facts_, address);
        if (pci != nullptr && !pci->product_name.empty()) return pci->product_name;
        if (device == 0 && pci != nullptr) device = pci->device;
        const std::string_view name = amd_gpu_name(device, pci != nullptr ? pci->revision : 0);
        if (!name.empty()) return std::string(name);
        if (device == 0) return "AMD GPU";
        char id[16];
        std::snprintf(id, sizeof id, "1002:%04x", device & 0xffff);
        return id;
    }

    void add_nodes(const DrmNode* render, Found& found) const {
        Gpu& gpu = found.gpu;
        if (found.render_minor < kFirstRender || found.render_minor > kLastRender) {
            gpu.unusable = "KFD names no render node for it (drm_render_minor " +
                           std::to_string(found.render_minor) + ")";
            return;
        }
        const std::string path = kDri + ("renderD" + std::to_string(found.render_minor));
        const host::DeviceNode* node = find_node(facts_, path);
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
                if (const host::DeviceNode* card = find_node(facts_, kDri + drm.name))
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

    // Cards that amdgpu drives and KFD does not list.
    [[nodiscard]] std::vector<PciAddress> cards_without_kfd() const {
        std::vector<PciAddress> addresses;
        for (const DrmNode& drm : facts_.drm_nodes)
            if (const auto address = host::parse_pci_address(drm.device);
                address && drm.driver == "amdgpu")
                addresses.push_back(*address);
        std::sort(addresses.begin(), addresses.end());
        addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
        std::erase_if(addresses, [&](const PciAddress& address) {
            return std::any_of(found_.begin(), found_.end(),
                               [&](const Found& found) { return found.card == address; });
        });
        return addresses;
    }

    // For display alone: too old for compute, or the kernel was built without KFD.
    // Or KFD's word for it cannot be read.
    void add_without_kfd(unsigned index) {
        for (const PciAddress& address : cards_without_kfd()) {
            Gpu gpu;
            gpu.index = index++;
            gpu.pci_address = address.text();
            gpu.name = name_of(0, gpu.pci_address);
            gpu.unread = !inventory_.amd_doubt.empty();
            gpu.unusable = gpu.unread ? inventory_.amd_doubt
                           : facts_.kfd_present
                               ? "amdgpu drives it, but KFD does not list it: no compute support"
                               : "/sys/class/kfd is missing: this kernel has no KFD";
            inventory_.gpus.push_back(std::move(gpu));
        }
    }

    [[nodiscard]] const DrmNode* drm_node(const std::string& name) const {
        const auto found = std::lower_bound(
            facts_.drm_nodes.begin(), facts_.drm_nodes.end(), name,
            [](const DrmNode& node, const std::string& key) { return node.name < key; });
        return found != facts_.drm_nodes.end() && found->name == name ? &*found : nullptr;
    }

    const host::HostFacts& facts_;
    Inventory& inventory_;
    std::vector<Found> found_;
    std::string kfd_problem_;  // why no AMD GPU can be used at all
};

}  // namespace

void add_amd(const host::HostFacts& facts, Inventory& inventory) {
    AmdBuilder(facts, inventory).build();
}

}  // namespace gantry::inventory
