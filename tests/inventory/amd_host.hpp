// A host with AMD GPUs, built call by call.
#pragma once

#include <set>
#include <string>

#include "host/temp_tree.hpp"
#include "inventory/inventory.hpp"

namespace gantry::test {

inline constexpr const char* kKfdNodes = "/sys/class/kfd/kfd/topology/nodes/";

class AmdHost : public TempTree {
public:
    AmdHost& cpu(unsigned index) {
        const std::string folder = kKfdNodes + std::to_string(index);
        file(folder + "/gpu_id", "0\n");
        file(folder + "/properties", "cpu_cores_count 8\nsimd_count 0\n");
        return *this;
    }
    AmdHost& gpu(unsigned index, const std::string& properties) {
        const std::string folder = kKfdNodes + std::to_string(index);
        file(folder + "/gpu_id", std::to_string(1000 + index) + "\n");
        file(folder + "/properties", "simd_count 80\n" + properties);
        return *this;
    }
    // A DRM node below a device; parts of its path in sysfs as the kernel has them.
    AmdHost& drm(const std::string& name, const std::string& device, unsigned minor,
                 const std::string& driver = "amdgpu") {
        const bool pci = device.find(':') != device.npos;
        link("/sys/class/drm/" + name,
             std::string("../../devices/") + (pci ? "pci0000:00/" : "platform/") + device +
                 "/drm/" + name);
        if (pci && drivers_.emplace(device).second)
            link("/sys/bus/pci/devices/" + device + "/driver", "../../drivers/" + driver);
        node("/dev/dri/" + name, 226, minor, 110);
        return *this;
    }
    AmdHost& kfd() {
        node("/dev/kfd", 236, 0, 110);
        return *this;
    }
    [[nodiscard]] inventory::Inventory inventory() const {
        return inventory::build_inventory(facts());
    }

private:
    std::set<std::string> drivers_;
};

inline std::string paths(const inventory::Gpu& gpu) {
    std::string text;
    for (const host::DeviceNode& node : gpu.nodes) text += node.path + " ";
    return text;
}

}  // namespace gantry::test
