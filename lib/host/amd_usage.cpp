#include "host/amd_usage.hpp"

#include "base/text.hpp"

namespace gantry::host {
namespace {

// Of a host with very many processes this is enough to know that it is in use.
constexpr std::size_t kMostProcesses = 256;

std::optional<std::uint64_t> read_number(const HostRoot& root, const std::string& path) {
    const auto text = root.read(path, nullptr, 64);
    return text ? parse_decimal(trim(*text)) : std::nullopt;
}

}  // namespace

AmdUsage read_amd_usage(const HostRoot& root, unsigned kfd_node, const std::string& pci_address) {
    AmdUsage usage;
    const std::string device = "/sys/bus/pci/devices/" + pci_address + "/mem_info_vram_";
    usage.used_bytes = read_number(root, device + "used");
    usage.total_bytes = read_number(root, device + "total");

    const auto id = root.read(
        "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(kfd_node) + "/gpu_id", nullptr, 64);
    if (!id) return usage;
    const std::string folder = "/sys/class/kfd/kfd/proc";
    const std::string file = "/vram_" + std::string(trim(*id));
    std::size_t looked_at = 0;
    for (const std::string& process : root.list(folder)) {
        if (++looked_at > kMostProcesses) break;
        const auto bytes = read_number(root, folder + "/" + process + file);
        usage.processes += bytes && *bytes > 0 ? 1 : 0;
    }
    return usage;
}

}  // namespace gantry::host
