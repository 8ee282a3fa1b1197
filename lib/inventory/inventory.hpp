// The GPUs of a host, ordered, whatever the vendor. Pure: built from HostFacts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.hpp"

namespace gantry::inventory {

enum class Vendor : std::uint8_t { Amd, Nvidia };

// gfx_target_version of KFD: major*10000 + minor*100 + stepping.
struct GfxVersion {
    unsigned major = 0, minor = 0, stepping = 0;
    auto operator<=>(const GfxVersion&) const = default;
    // "gfx90a": minor and stepping are hexadecimal digits.
    [[nodiscard]] std::string target() const;
    // "9.0.10": the form of HSA_OVERRIDE_GFX_VERSION, all decimal.
    [[nodiscard]] std::string override_text() const;
};
[[nodiscard]] GfxVersion decode_gfx_target_version(std::uint64_t value);

struct Gpu {
    Vendor vendor = Vendor::Amd;
    unsigned index = 0;          // per vendor, in PCI order; what *_VISIBLE_DEVICES counts
    std::string name;            // marketing name where known, else the PCI id "1002:73df"
    std::optional<GfxVersion> gfx;      // AMD
    std::string pci_address;     // 0000:03:00.0
    std::string unique_id;       // NVIDIA "GPU-…"; AMD 16 hex digits; empty where there is none
    std::optional<std::uint64_t> memory_bytes;
    bool integrated = false;     // AMD: shares the CPU's memory
    std::optional<unsigned> kfd_node;
    std::optional<unsigned> partition;  // AMD: of a card that is split into several GPUs
    std::vector<host::DeviceNode> nodes;  // this GPU's own: render and card node, or /dev/nvidiaN
    std::string unusable;        // why it cannot be given out; empty if it can
    bool unread = false;         // and that is a file of the host that cannot be read

    [[nodiscard]] const host::DeviceNode* render_node() const;  // AMD
};

// One entry of the KFD topology, enough to number HSA_OVERRIDE_GFX_VERSION_<n>.
struct TopologyNode {
    unsigned index = 0;
    bool is_cpu = false;
    std::optional<std::uint32_t> render_minor;
};

struct Inventory {
    bool simulated = false;
    std::vector<Gpu> gpus;                     // AMD first, then NVIDIA; each in PCI order
    std::vector<host::DeviceNode> amd_control;     // /dev/kfd
    std::vector<host::DeviceNode> nvidia_control;  // nvidiactl, nvidia-uvm, nvidia-uvm-tools, …
    std::vector<TopologyNode> topology;
    std::string amdgpu_version, nvidia_version;
    std::vector<host::DriverFile> nvidia_libraries, nvidia_binaries;
    std::vector<std::string> notices;          // one sentence each
    // A file that cannot be read, where it leaves open which AMD GPU has which index.
    std::string amd_doubt;

    [[nodiscard]] std::vector<const Gpu*> of(Vendor vendor) const;
    // What the host does not tell of that vendor's GPUs, and why; empty if it tells all.
    [[nodiscard]] std::string unread(Vendor vendor) const;
};

[[nodiscard]] Inventory build_inventory(const host::HostFacts& facts);

// "0 (RX 6700 XT, 0000:03:00.0), 1 (…)" for the error that lists what exists.
[[nodiscard]] std::string describe_gpus(const Inventory& inventory, Vendor vendor);

// `gantryctl list`: a table of at most 80 columns where names allow it, and the
// same as JSON (an object with "gpus", "driver", "notices").
[[nodiscard]] std::string render_table(const Inventory& inventory);
[[nodiscard]] std::string render_json(const Inventory& inventory);

}  // namespace gantry::inventory
