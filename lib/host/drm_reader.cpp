// DRM nodes and the devices they belong to: Linux drivers/gpu/drm/drm_sysfs.c.
#include <fcntl.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "host/folder.hpp"
#include "host/pci_address.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

constexpr const char* kClass = "/sys/class/drm/";
constexpr const char* kPciDevices = "/sys/bus/pci/devices/";
constexpr const char* kPlatform = "/sys/devices/platform/";
// Partitions of a card are platform devices amdgpu_xcp_1, older kernels
// amdgpu_xcp.1 (amdgpu_xcp_drv.c); no driver link leads from them to amdgpu.
constexpr std::string_view kPartitionDevice = "amdgpu_xcp";

// "card1" and "renderD128"; not "card1-DP-1", "controlD65", "version".
std::optional<std::uint32_t> minor_of(std::string_view name) {
    for (const std::string_view prefix : {"card", "renderD"}) {
        if (!name.starts_with(prefix)) continue;
        const auto minor = parse_decimal(name.substr(prefix.size()));
        if (minor && *minor < (1U << 20)) return static_cast<std::uint32_t>(*minor);
    }
    return std::nullopt;
}

std::string last_part(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

// "../../devices/pci0000:00/0000:03:00.0/drm/card1" -> "0000:03:00.0"
std::string device_in(std::string_view link) {
    const std::size_t drm = link.rfind("/drm/");
    return drm == link.npos ? std::string{} : last_part(link.substr(0, drm));
}

class DrmReader {
public:
    DrmReader(const HostRoot& root, HostFacts& facts) : root_(root), facts_(facts) {}

    // One pass and one link text a node; nothing is opened.
    void read_class() {
        auto folder = Folder::open(root_.open_path(kClass, O_RDONLY | O_DIRECTORY));
        if (!folder) return;
        while (const auto entry = folder->next()) {
            if (!minor_of(entry->name)) continue;
            const std::string name(entry->name);
            const auto link = folder->link_target(name.c_str());
            add(name, link ? device_in(*link) : std::string{});
        }
    }

    // Where /sys/class/drm is hidden, from the devices' own folders.
    void read_devices() {
        for (const KfdNode& node : facts_.kfd_nodes) {
            const auto location = node.properties.find("location_id");
            if (node.properties.count("drm_render_minor") == 0 ||
                location == node.properties.end() || location->second == 0)
                continue;
            const auto domain = node.properties.find("domain");
            const PciAddress address{domain == node.properties.end() ? 0 : domain->second,
                                     static_cast<unsigned>(location->second >> 8 & 0xff),
                                     static_cast<unsigned>(location->second >> 3 & 0x1f), 0};
            const std::string device = address.text();
            if (drivers_.count(device) == 0) add_below(kPciDevices + (device + "/drm"), device);
        }
        for (const std::string& device : root_.list(kPlatform))
            if (device.starts_with(kPartitionDevice))
                add_below(kPlatform + (device + "/drm"), device);
    }

private:
    void add_below(const std::string& folder, const std::string& device) {
        driver_of("", device);
        for (const std::string& name : root_.list(folder))
            if (minor_of(name)) add(name, device);
    }

    void add(const std::string& name, const std::string& device) {
        facts_.drm_nodes.push_back({name, *minor_of(name), device, driver_of(name, device)});
    }

    const std::string& driver_of(const std::string& name, const std::string& device) {
        const auto [found, fresh] = drivers_.try_emplace(device);
        if (!fresh || device.empty()) return found->second;
        if (device.starts_with(kPartitionDevice)) {
            found->second = "amdgpu";
        } else {
            const std::string folder = parse_pci_address(device) ? kPciDevices + device
                                                                 : kClass + (name + "/device");
            if (const auto link = root_.link_target(folder + "/driver"))
                found->second = last_part(*link);
        }
        return found->second;
    }

    const HostRoot& root_;
    HostFacts& facts_;
    std::map<std::string, std::string> drivers_;  // by device
};

}  // namespace

void read_drm(const HostRoot& root, HostFacts& facts) {
    DrmReader reader(root, facts);
    reader.read_class();
    if (facts.drm_nodes.empty()) reader.read_devices();
    std::sort(facts.drm_nodes.begin(), facts.drm_nodes.end(),
              [](const DrmNode& a, const DrmNode& b) { return a.name < b.name; });
}

}  // namespace gantry::host
