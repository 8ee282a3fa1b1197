// Ids and names: libdrm's data/amdgpu.ids and the PCI ID database; which ids
// are integrated: Linux drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c (AMD_IS_APU) and
// the device table of libhsakmt. Only what people run compute on: a GPU that is
// not here is shown by its PCI id and works the same.
#include "inventory/gpu_names.hpp"

namespace gantry::inventory {
namespace {

// The same chip is sold under several names, told apart by the revision.
constexpr std::uint32_t kAnyRevision = UINT32_MAX;

struct Name {
    std::uint32_t device, revision;
    std::string_view name;
};

// For each device: exact revisions first, then the line for all others.
constexpr Name kNames[] = {
    {0x6860, kAnyRevision, "Instinct MI25"},
    {0x687f, kAnyRevision, "RX Vega"},
    {0x66a1, 0x06, "Radeon Pro VII"},
    {0x66a1, kAnyRevision, "Instinct MI50/MI60"},
    {0x66af, kAnyRevision, "Radeon VII"},
    {0x738c, kAnyRevision, "Instinct MI100"},
    {0x7408, kAnyRevision, "Instinct MI250X"},
    {0x740c, kAnyRevision, "Instinct MI250X/MI250"},
    {0x740f, kAnyRevision, "Instinct MI210"},
    {0x74a0, kAnyRevision, "Instinct MI300A"},
    {0x74a1, kAnyRevision, "Instinct MI300X"},
    {0x74a2, kAnyRevision, "Instinct MI308X"},
    {0x74a5, kAnyRevision, "Instinct MI325X"},
    {0x74a8, kAnyRevision, "Instinct MI308X HF"},
    {0x74a9, kAnyRevision, "Instinct MI300X HF"},
    {0x74b5, kAnyRevision, "Instinct MI300X VF"},
    {0x75a0, kAnyRevision, "Instinct MI350X"},
    {0x75a3, kAnyRevision, "Instinct MI355X"},
    {0x731f, 0xc1, "RX 5700 XT"},
    {0x731f, 0xc4, "RX 5700"},
    {0x731f, 0xca, "RX 5600 XT"},
    {0x731f, kAnyRevision, "RX 5600/5700 series"},
    {0x73a3, kAnyRevision, "Radeon Pro W6800"},
    {0x73a5, kAnyRevision, "RX 6950 XT"},
    {0x73bf, 0xc0, "RX 6900 XT"},
    {0x73bf, 0xc1, "RX 6800 XT"},
    {0x73bf, 0xc3, "RX 6800"},
    {0x73bf, kAnyRevision, "RX 6800/6900 series"},
    {0x73df, 0xc0, "RX 6750 XT"},
    {0x73df, 0xc1, "RX 6700 XT"},
    {0x73df, 0xc2, "RX 6800M"},
    {0x73df, 0xc3, "RX 6800M"},
    {0x73df, 0xc5, "RX 6700 XT"},
    {0x73df, 0xcf, "RX 6700M"},
    {0x73df, kAnyRevision, "RX 6700 series"},
    {0x73ef, 0xc1, "RX 6650 XT"},
    {0x73ef, kAnyRevision, "RX 6650 series"},
    {0x73ff, 0xc1, "RX 6600 XT"},
    {0x73ff, 0xc7, "RX 6600"},
    {0x73ff, kAnyRevision, "RX 6600 series"},
    {0x743f, 0xc1, "RX 6500 XT"},
    {0x743f, 0xc7, "RX 6400"},
    {0x743f, kAnyRevision, "RX 6400/6500 series"},
    {0x7448, kAnyRevision, "Radeon Pro W7900"},
    {0x744a, kAnyRevision, "Radeon Pro W7900 Dual Slot"},
    {0x744c, 0xc8, "RX 7900 XTX"},
    {0x744c, 0xcc, "RX 7900 XT"},
    {0x744c, 0xce, "RX 7900 GRE"},
    {0x744c, 0xcf, "RX 7900M"},
    {0x744c, kAnyRevision, "RX 7900 series"},
    {0x745e, kAnyRevision, "Radeon Pro W7800"},
    {0x7460, kAnyRevision, "Radeon Pro V710"},
    {0x7470, kAnyRevision, "Radeon Pro W7700"},
    {0x747e, 0xc8, "RX 7800 XT"},
    {0x747e, 0xff, "RX 7700 XT"},
    {0x747e, kAnyRevision, "RX 7700/7800 series"},
    {0x7480, 0xc0, "RX 7600 XT"},
    {0x7480, 0xcf, "RX 7600"},
    {0x7480, kAnyRevision, "RX 7600 series"},
    {0x7550, 0xc0, "RX 9070 XT"},
    {0x7550, 0xc2, "RX 9070 GRE"},
    {0x7550, 0xc3, "RX 9070"},
    {0x7550, kAnyRevision, "RX 9070 series"},
    {0x7551, 0xc0, "Radeon AI PRO R9700"},
    {0x7551, kAnyRevision, "Radeon AI PRO R9000 series"},
    {0x7590, 0xc0, "RX 9060 XT"},
    {0x7590, kAnyRevision, "RX 9060 series"},
    {0x13c0, kAnyRevision, "Granite Ridge graphics"},
    {0x163f, kAnyRevision, "Van Gogh graphics"},
    {0x164d, kAnyRevision, "Rembrandt graphics"},
    {0x164e, kAnyRevision, "Raphael graphics"},
    {0x1681, kAnyRevision, "Radeon 680M/660M"},
    {0x15bf, kAnyRevision, "Radeon 780M/760M"},
    {0x1900, kAnyRevision, "Radeon 780M/760M"},
    {0x150e, kAnyRevision, "Radeon 890M/880M"},
    {0x1586, kAnyRevision, "Radeon 8060S/8050S"},
};

constexpr std::uint32_t kIntegrated[] = {
    0x1304, 0x1309, 0x130a, 0x130f, 0x1313, 0x131c,  // Kaveri
    0x9870, 0x9874, 0x9875, 0x9876, 0x9877,          // Carrizo
    0x15dd, 0x15d8,                                  // Raven Ridge, Picasso
    0x1636, 0x1638, 0x164c, 0x15e7,                  // Renoir, Cezanne, Lucienne, Barcelo
    0x13fe, 0x143f,                                  // Cyan Skillfish
    0x163f, 0x1435,                                  // Van Gogh
    0x164d, 0x1681,                                  // Rembrandt
    0x164e, 0x13c0, 0x1506,                          // Raphael, Granite Ridge, Mendocino
    0x15bf, 0x15c8, 0x164f, 0x1900, 0x1901,          // Phoenix, Hawk Point
    0x150e, 0x1586, 0x1114, 0x1902,                  // Strix Point, Strix Halo, Krackan
    0x74a0,                                          // Instinct MI300A
};

}  // namespace

std::string_view amd_gpu_name(std::uint32_t device, std::uint32_t revision) {
    for (const Name& entry : kNames)
        if (entry.device == device &&
            (entry.revision == revision || entry.revision == kAnyRevision))
            return entry.name;
    return {};
}

bool is_amd_integrated(std::uint32_t device) {
    for (const std::uint32_t known : kIntegrated)
        if (known == device) return true;
    return false;
}

}  // namespace gantry::inventory
