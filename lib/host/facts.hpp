// Raw facts of a host, as read and before anything is concluded from them.
// Plain values; the inventory is built from these alone, so a fixture host and
// a real one go the same way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::host {

// A device node as stat(2) shows it (or as a fixture's nodes.json lists it).
struct DeviceNode {
    std::string path;  // as on the host: /dev/dri/renderD128
    char type = 'c';
    std::uint32_t major = 0, minor = 0;
    std::uint32_t mode = 0;  // permission bits
    std::uint32_t uid = 0, gid = 0;
};

struct KfdMemoryBank { std::uint64_t heap_type = 0, bytes = 0; };

// /sys/class/kfd/kfd/topology/nodes/N (Documentation: drivers/gpu/drm/amd/amdkfd)
struct KfdNode {
    unsigned index = 0;                  // N
    std::optional<std::uint64_t> gpu_id; // 0: a CPU node; nullopt: unreadable
    std::string name;
    std::map<std::string, std::uint64_t> properties;
    std::vector<KfdMemoryBank> banks;
    std::string problem;                 // why something of it could not be read; empty if all was
};

// /sys/class/drm/{cardN,renderDN}
struct DrmNode {
    std::string name;         // "card1", "renderD128"
    std::uint32_t minor = 0;  // from the name: DRM names a node by its minor (drm_minor_alloc)
    std::string device;       // the folder it hangs below: PCI address or amdgpu_xcp_1
    std::string driver;       // last component of the device's driver link: "amdgpu"
};

struct PciDevice {            // /sys/bus/pci/devices/ADDRESS, AMD's and NVIDIA's GPUs only
    std::string address;      // 0000:03:00.0
    std::uint32_t vendor = 0, device = 0, revision = 0;
    std::uint32_t pci_class = 0;  // 0: not read (FactsWanted::unclaimed)
    std::string driver;       // "amdgpu", "nvidia", "vfio-pci", empty
    std::string product_name; // amdgpu `product_name`, where the driver gives it
};

struct NvidiaProcGpu {        // /proc/driver/nvidia/gpus/ADDRESS/information
    std::string address;      // folder name, lower case, as the kernel writes it
    std::string model;
    std::string uuid;         // GPU-…, empty or with '?' until the GPU was initialised
    std::optional<std::uint32_t> minor;
    bool excluded = false;    // by NVreg_ExcludedGpus: the driver keeps everybody away from it
    std::string problem;
};

// One driver file of the NVIDIA user-space driver on the host.
struct DriverFile {
    std::string host_path;  // real file, e.g. /usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07
    // Base names in that folder that lead to it: itself first, then sorted.
    std::vector<std::string> names;
};

struct HostFacts {
    bool simulated = false;           // the host root is not "/"
    std::string root;                 // "/" or the fixture's folder
    std::vector<KfdNode> kfd_nodes;   // by index
    std::vector<DrmNode> drm_nodes;   // by name
    std::vector<PciDevice> pci_devices;      // by address
    std::vector<NvidiaProcGpu> nvidia_gpus;  // by address
    std::vector<DeviceNode> nodes;    // of interest: kfd, dri/*, nvidia*; by path
    std::map<std::string, std::uint32_t> char_majors;  // /proc/devices, character section
    std::string majors_problem;       // why that could not be read; empty where it is or is not there
    std::string amdgpu_version;       // /sys/module/amdgpu/version, else empty
    bool kfd_present = false;         // /sys/class/kfd exists
    std::string nvidia_version;       // from /proc/driver/nvidia/version, e.g. "535.161.07"
    std::vector<DriverFile> nvidia_libraries;  // *.so.VERSION of exactly nvidia_version; by path
    std::vector<DriverFile> nvidia_binaries;   // nvidia-smi, …; by path
    std::vector<std::string> problems;         // what could not be read, one sentence each
};

}  // namespace gantry::host
