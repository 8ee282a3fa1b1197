#include <algorithm>
#include <cstdio>

#include "inventory/gpu_names.hpp"
#include "inventory/vendor_gpus.hpp"

namespace gantry::inventory {
namespace {

std::string name_of(const host::PciDevice& device, Vendor vendor) {
    if (!device.product_name.empty()) return device.product_name;
    if (vendor == Vendor::Amd) {
        const std::string_view known = amd_gpu_name(device.device, device.revision);
        if (!known.empty()) return std::string(known);
    }
    char id[16];
    std::snprintf(id, sizeof id, "%04x:%04x", device.vendor & 0xffff, device.device & 0xffff);
    return id;
}

}  // namespace

void add_unclaimed(const host::HostFacts& facts, const Unclaimed& what, Inventory& inventory) {
    auto index = static_cast<unsigned>(inventory.of(what.vendor).size());
    for (const host::PciDevice& device : facts.pci_devices) {
        if (device.vendor != what.vendor_id) continue;
        const bool listed = std::any_of(
            inventory.gpus.begin(), inventory.gpus.end(),
            [&](const Gpu& gpu) { return gpu.pci_address == device.address; });
        if (listed) continue;
        Gpu gpu;
        gpu.vendor = what.vendor;
        gpu.index = index++;
        gpu.name = name_of(device, what.vendor);
        gpu.pci_address = device.address;
        if (device.driver == what.driver)
            gpu.unusable = "the " + what.driver + " driver holds it, but does not list it as a GPU";
        else if (device.driver.empty())
            gpu.unusable = "no driver holds it; load " + what.driver;
        else
            gpu.unusable = "driver " + device.driver + " holds it instead of " + what.driver;
        inventory.gpus.push_back(std::move(gpu));
    }
}

}  // namespace gantry::inventory
