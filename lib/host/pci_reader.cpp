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

// nullopt where it is no GPU of a vendor that is asked for.
std::optional<PciDevice> read_device(const HostRoot& root, FactsWanted wanted,
                                     const std::string& address) {
    const std::string folder = kDevices + (address + "/");
    const auto vendor = read_hex(root, folder + "vendor");
    if (!vendor || !((wanted.amd && *vendor == kAmd) || (wanted.nvidia && *vendor == kNvidia)))
        return std::nullopt;
    PciDevice device;
    device.address = address;
    device.vendor = *vendor;
    if (const auto link = root.link_target(folder + "driver"))
        device.driver = link->substr(link->rfind('/') + 1);
    const auto pci_class = read_hex(root, folder + "class");
    const bool vendor_driver = device.driver == "amdgpu" || device.driver == "nvidia";
    if (pci_class ? *pci_class >> 16 != kDisplay && *pci_class >> 16 != kAccelerator
                  : !vendor_driver)
        return std::nullopt;
    device.pci_class = pci_class.value_or(0);
    device.device = read_hex(root, folder + "device").value_or(0);
    device.revision = read_hex(root, folder + "revision").value_or(0);
    if (device.driver == "amdgpu")
        if (const auto name = root.read(folder + "product_name", nullptr, kMaxFileBytes))
            device.product_name = printable(trim(*name));
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
    for (const std::string& address : wanted.unclaimed ? root.list(kDevices) : claimed(facts)) {
        if (!parse_pci_address(address)) continue;
        if (auto device = read_device(root, wanted, address))
            facts.pci_devices.push_back(std::move(*device));
    }
}

}  // namespace gantry::host
