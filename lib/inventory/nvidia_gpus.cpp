// NVIDIA's driver names its GPUs by PCI address and gives each a minor, in an
// order of its own: index 0 can be /dev/nvidia2. Only what the driver says
// joins the two.
#include <algorithm>
#include <optional>

#include "inventory/vendor_gpus.hpp"

namespace gantry::inventory {
namespace {

using host::DeviceNode;
using host::NvidiaProcGpu;

// Names in /proc/devices. The GPUs' own was nvidia-frontend before 550.40.
constexpr std::string_view kGpuMajors[] = {"nvidia", "nvidia-frontend"};
constexpr std::string_view kUvmMajors[] = {"nvidia-uvm"};

struct ControlNode {
    const char* path;
    const std::string_view* majors;
    std::size_t major_count;
    std::uint32_t minor;       // fixed by the driver (nv.h, uvm_ioctl.h)
    const char* if_missing;    // a notice; nullptr: not needed for compute
};

constexpr ControlNode kControl[] = {
    {"/dev/nvidiactl", kGpuMajors, 2, 255, "no NVIDIA GPU can be used: run nvidia-modprobe"},
    {"/dev/nvidia-uvm", kUvmMajors, 1, 0, "CUDA needs it: run nvidia-modprobe -u -c 0"},
    {"/dev/nvidia-uvm-tools", kUvmMajors, 1, 1,
     "CUDA profilers need it: run nvidia-modprobe -u -c 0"},
    {"/dev/nvidia-modeset", kGpuMajors, 2, 254, nullptr},
};

std::optional<std::uint32_t> find_major(const host::HostFacts& facts,
                                        const std::string_view* names, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = facts.char_majors.find(std::string(names[i]));
        if (found != facts.char_majors.end()) return found->second;
    }
    return std::nullopt;
}

// Why the node cannot be the one; empty if it can. Without a major in
// /proc/devices the minor alone decides.
std::string mismatch(const DeviceNode& node, std::optional<std::uint32_t> major,
                     std::uint32_t minor) {
    if (node.type == 'c' && node.minor == minor && (!major || node.major == *major)) return {};
    return node.path + " is " + describe_number(node) + " instead of c " +
           (major ? std::to_string(*major) : "?") + ":" + std::to_string(minor);
}

class NvidiaBuilder {
public:
    NvidiaBuilder(const host::HostFacts& facts, Inventory& inventory)
        : facts_(facts), inventory_(inventory), gpu_major_(find_major(facts, kGpuMajors, 2)) {}

    void build() {
        if (!facts_.nvidia_gpus.empty()) add_control();
        unsigned index = 0;
        for (const NvidiaProcGpu& proc : facts_.nvidia_gpus)
            inventory_.gpus.push_back(read(proc, index++));
        if (index > 0 && !facts_.nvidia_version.empty() && facts_.nvidia_libraries.empty())
            inventory_.notices.push_back("no library of NVIDIA driver " + facts_.nvidia_version +
                                         " is in the usual library folders");
        add_unclaimed(facts_, {Vendor::Nvidia, 0x10de, "nvidia"}, inventory_);
    }

private:
    void add_control() {
        for (const ControlNode& control : kControl) {
            const auto major = find_major(facts_, control.majors, control.major_count);
            const DeviceNode* node = find_node(facts_, control.path);
            std::string wrong = std::string(control.path) + " is missing";
            if (node != nullptr) wrong = mismatch(*node, major, control.minor);
            if (wrong.empty()) {
                inventory_.nvidia_control.push_back(*node);
                has_ctl_ = has_ctl_ || control.minor == 255;
            } else if (control.if_missing != nullptr) {
                inventory_.notices.push_back(wrong + "; " + control.if_missing);
            }
        }
    }

    Gpu read(const NvidiaProcGpu& proc, unsigned index) const {
        Gpu gpu;
        gpu.vendor = Vendor::Nvidia;
        gpu.index = index;
        gpu.name = proc.model.empty() ? "NVIDIA GPU" : proc.model;
        gpu.pci_address = proc.address;
        // All question marks until something initialised the GPU.
        if (proc.uuid.starts_with("GPU-") && proc.uuid.find('?') == proc.uuid.npos)
            gpu.unique_id = proc.uuid;
        gpu.unusable = proc.problem;
        if (gpu.unusable.empty() && !proc.minor)
            gpu.unusable = "the driver does not tell its minor number";
        if (gpu.unusable.empty()) gpu.unusable = facts_.majors_problem;
        gpu.unread = !gpu.unusable.empty();
        if (gpu.unusable.empty()) add_node(*proc.minor, gpu);
        if (gpu.unusable.empty() && proc.excluded)
            gpu.unusable = "excluded by the driver option NVreg_ExcludedGpus";
        if (gpu.unusable.empty() && !has_ctl_) gpu.unusable = "/dev/nvidiactl is missing";
        return gpu;
    }

    void add_node(std::uint32_t minor, Gpu& gpu) const {
        const std::string path = "/dev/nvidia" + std::to_string(minor);
        const DeviceNode* node = find_node(facts_, path);
        if (node == nullptr) node = find_by_number(minor);
        if (node == nullptr) {
            gpu.unusable =
                path + " is missing; run nvidia-modprobe -c " + std::to_string(minor);
            return;
        }
        gpu.unusable = mismatch(*node, gpu_major_, minor);
        if (gpu.unusable.empty()) gpu.nodes.push_back(*node);
    }

    // Another name for the same device; hosts can make their own nodes.
    [[nodiscard]] const DeviceNode* find_by_number(std::uint32_t minor) const {
        if (!gpu_major_) return nullptr;
        for (const DeviceNode& node : facts_.nodes)
            if (node.type == 'c' && node.major == *gpu_major_ && node.minor == minor) return &node;
        return nullptr;
    }

    const host::HostFacts& facts_;
    Inventory& inventory_;
    std::optional<std::uint32_t> gpu_major_;
    bool has_ctl_ = false;
};

}  // namespace

void add_nvidia(const host::HostFacts& facts, Inventory& inventory) {
    NvidiaBuilder(facts, inventory).build();
}

}  // namespace gantry::inventory
