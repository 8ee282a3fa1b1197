// PCI functions. Only attributes that the kernel keeps in memory are read
// (drivers/pci/pci-sysfs.c): `config` would wake a GPU that sleeps.
#include <algorithm>

#include "base/text.hpp"
#include "host/pci_address.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

constexpr const char* kDevices = "/sys/bus/pci/devices/";
constexpr std::uint32_t kAmd = 0x1002, kNvidia = 0x10de;
// PCI base classes: display controller, processing accelerator.
constexpr std::uint32_t kDisplay = 0x03, kAccelerator = 0x12;
constexpr std::size_t kMaxFileBytes = 4096;

// "0x1002\n"
std::optional<std::uint32_t> read_hex(const HostRoot& root, const std::string& path) {
    const auto text = root.read(path, nullptr, kMaxFileBytes);
    if (!text) return std::nullopt;
    const std::string_view number = trim(*text);
    if (!number.starts_with("0x")) return std::nullopt;
    const auto value = parse_hex(number.substr(2));
    if (!value || *value > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

// What names a GPU that amdgpu drives; everything else of it is known.
PciDevice read_claimed(const HostRoot& root, const std::string& address) {
    const std::string folder = kDevices + (address + "/");
    PciDevice device;
    device.address = address;
    device.vendor = kAmd;
    device.driver = "amdgpu";
    device.device = read_hex(root, folder + "device").value_or(0);
    device.revision = read_hex(root, folder + "revision").value_or(0);
    if (const auto name = root.read(folder + "product_name", nullptr, kMaxFileBytes))
        device.product_name = printable(trim(*name));
    return device;
}

// nullopt where it is no GPU of a vendor that is asked for.
std::optional<PciDevice> read_device(const HostRoot& root, FactsWanted wanted,
                                     const std::string& address) {
    const std::string folder = kDevices + (address + "/");
    const auto vendor = read_hex(root, folder + "vendor");
    if (!vendor || !((wanted.amd && *vendor == kAmd) || (wanted.nvidia && *vendor == kNvidia)))
        return std::nullopt;
    std::string driver;
    if (const auto link = root.link_target(folder + "driver"))
        driver = link->substr(link->rfind('/') + 1);
    // A GPU has other functions beside it (sound, USB); drivers know theirs.
    const auto pci_class = read_hex(root, folder + "class");
    if (pci_class ? *pci_class >> 16 != kDisplay && *pci_class >> 16 != kAccelerator
                  : driver != "amdgpu" && driver != "nvidia")
        return std::nullopt;
    PciDevice device = read_claimed(root, address);
    device.vendor = *vendor;
    device.driver = std::move(driver);
    device.pci_class = pci_class.value_or(0);
    return device;
}

// What the vendor drivers hold, as the readers before found it.
std::vector<std::string> claimed(const HostFacts& facts) {
    std::vector<std::string> addresses;
    for (const DrmNode& node : facts.drm_nodes)
        if (node.driver == "amdgpu" && parse_pci_address(node.device))
            addresses.push_back(node.device);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    return addresses;
}

}  // namespace

void read_pci(const HostRoot& root, FactsWanted wanted, HostFacts& facts) {
    if (!wanted.unclaimed) {
        for (const std::string& address : claimed(facts))
            facts.pci_devices.push_back(read_claimed(root, address));
        return;
    }
    for (const std::string& address : root.list(kDevices)) {
        if (!parse_pci_address(address)) continue;
        if (auto device = read_device(root, wanted, address))
            facts.pci_devices.push_back(std::move(*device));
    }
}

}  // namespace gantry::host
