// Inventories as values: what a test needs to say of a GPU and no more.
#pragma once

#include <optional>
#include <string>

#include "inventory/inventory.hpp"

namespace gantry::test {

struct NodeMode {
    std::uint32_t mode = 0660, gid = 0, uid = 0;
};

inline host::DeviceNode char_node(const std::string& path, std::uint32_t major,
                                  std::uint32_t minor, NodeMode mode = {}) {
    return {path, 'c', major, minor, mode.mode, mode.uid, mode.gid};
}

class InventoryParts {
public:
    InventoryParts() {
        inventory_.simulated = true;
        inventory_.nvidia_version = "535.161.08";
    }

    InventoryParts& kfd(NodeMode mode = {0660, 110}) {
        inventory_.amd_control.push_back(char_node("/dev/kfd", 236, 0, mode));
        return *this;
    }
    InventoryParts& cpu() {
        inventory_.topology.push_back({next_node_++, true, std::nullopt});
        return *this;
    }
    // The next KFD node; GPUs get their index in this order too.
    InventoryParts& amd(const std::string& name, std::uint64_t gfx, std::uint32_t render_minor,
                        NodeMode mode = {0660, 110}) {
        inventory::Gpu gpu;
        gpu.index = amd_count_++;
        gpu.name = name;
        if (gfx) gpu.gfx = inventory::decode_gfx_target_version(gfx);
        gpu.pci_address = "0000:0" + std::to_string(gpu.index + 1) + ":00.0";
        gpu.unique_id = "00c0ffee0000000" + std::to_string(gpu.index + 1);
        gpu.kfd_node = next_node_;
        gpu.nodes = {char_node("/dev/dri/renderD" + std::to_string(render_minor), 226,
                               render_minor, mode),
                     char_node("/dev/dri/card" + std::to_string(render_minor - 128), 226,
                               render_minor - 128, {0660, 44})};
        inventory_.topology.push_back({next_node_++, false, render_minor});
        inventory_.gpus.push_back(gpu);
        return *this;
    }
    InventoryParts& nvidia(const std::string& name, unsigned minor) {
        if (inventory_.nvidia_control.empty())
            inventory_.nvidia_control = {char_node("/dev/nvidiactl", 195, 255, {0666}),
                                         char_node("/dev/nvidia-uvm", 510, 0, {0666}),
                                         char_node("/dev/nvidia-uvm-tools", 510, 1, {0666}),
                                         char_node("/dev/nvidia-modeset", 195, 254, {0666})};
        inventory::Gpu gpu;
        gpu.vendor = inventory::Vendor::Nvidia;
        gpu.index = nvidia_count_++;
        gpu.name = name;
        gpu.pci_address = "0000:8" + std::to_string(gpu.index) + ":00.0";
        gpu.unique_id = "GPU-0000000" + std::to_string(gpu.index) + "-1111-2222-3333-44445555abcd";
        gpu.nodes = {char_node("/dev/nvidia" + std::to_string(minor), 195, minor, {0666})};
        inventory_.gpus.push_back(gpu);
        return *this;
    }
    InventoryParts& unusable(const std::string& why) {
        inventory_.gpus.back().unusable = why;
        return *this;
    }
    InventoryParts& library(const std::string& path, std::vector<std::string> names) {
        inventory_.nvidia_libraries.push_back({path, std::move(names)});
        return *this;
    }
    InventoryParts& libcuda() {
        return library("/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.08",
                       {"libcuda.so", "libcuda.so.1", "libcuda.so.535.161.08"});
    }
    InventoryParts& binary(const std::string& path) {
        inventory_.nvidia_binaries.push_back({path, {path.substr(path.rfind('/') + 1)}});
        return *this;
    }

    [[nodiscard]] const inventory::Inventory& get() const { return inventory_; }
    inventory::Inventory& get() { return inventory_; }

private:
    inventory::Inventory inventory_;
    unsigned next_node_ = 0, amd_count_ = 0, nvidia_count_ = 0;
};

}  // namespace gantry::test
