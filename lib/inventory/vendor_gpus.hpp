// The two halves of build_inventory.
#pragma once

#include <string>

#include "inventory/inventory.hpp"

namespace gantry::inventory {

// Adds to gpus, amd_control, topology and notices.
void add_amd(const host::HostFacts& facts, Inventory& inventory);

// Adds to gpus, nvidia_control and notices.
void add_nvidia(const host::HostFacts& facts, Inventory& inventory);

// nullptr where the host does not have it.
[[nodiscard]] const host::DeviceNode* find_node(const host::HostFacts& facts,
                                                const std::string& path);
[[nodiscard]] const host::PciDevice* find_pci(const host::HostFacts& facts,
                                              const std::string& address);

// "c 226:128"
[[nodiscard]] std::string describe_number(const host::DeviceNode& node);

// GPUs that no vendor driver runs are listed after all others and keep the
// reason why they cannot be given out.
struct Unclaimed {
    Vendor vendor = Vendor::Amd;
    std::uint32_t vendor_id = 0;
    std::string driver;  // the vendor's own
};
void add_unclaimed(const host::HostFacts& facts, const Unclaimed& what, Inventory& inventory);

}  // namespace gantry::inventory
