// The KFD topology: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes/";
// The kernel's files are one page at most; these limits only bound what a
// damaged or hostile tree can make us hold.
constexpr std::size_t kMaxFileBytes = 64 * 1024;
constexpr std::size_t kMaxProperties = 256;
constexpr std::uint64_t kMaxBanks = 16;

using Properties = std::map<std::string, std::uint64_t>;

bool is_property_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

// Lines "name number". A line of another form is reported once and passed over:
// a newer kernel may add one, and the others still hold.
void parse_properties(std::string_view text, const std::string& path, Properties& properties,
                      std::string& problem) {
    for (const std::string_view line : split(text, '\n')) {
        const std::string_view content = trim(line);
        if (content.empty()) continue;
        const std::size_t blank = content.find(' ');
        const std::string_view name = content.substr(0, blank);
        const auto value = blank == content.npos ? std::nullopt
                                                 : parse_decimal(trim(content.substr(blank)));
        if (is_property_name(name) && value && properties.size() < kMaxProperties) {
            properties.emplace(name, *value);
        } else if (problem.empty()) {
            problem = path + " has the odd line \"" + printable(content, 40) + "\"";
        }
    }
}

// Empty optional where the file cannot be read, which `problem` then tells.
std::optional<Properties> read_properties(const HostRoot& root, const std::string& path,
                                          std::string& problem) {
    int error_number = 0;
    const auto text = root.read(path, &error_number, kMaxFileBytes);
    if (!text) {
        if (problem.empty()) problem = unreadable(path, error_number);
        return std::nullopt;
    }
    Properties properties;
    parse_properties(*text, path, properties, problem);
    if (properties.empty() && problem.empty()) problem = path + " is empty";
    return properties;
}

std::uint64_t value_or_zero(const Properties& properties, const char* name) {
    const auto found = properties.find(name);
    return found == properties.end() ? 0 : found->second;
}

void read_banks(const HostRoot& root, const std::string& folder, KfdNode& node) {
    const auto count = std::min(value_or_zero(node.properties, "mem_banks_count"), kMaxBanks);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string path = folder + "/mem_banks/" + std::to_string(i) + "/properties";
        if (const auto bank = read_properties(root, path, node.problem))
            node.banks.push_back(
                {value_or_zero(*bank, "heap_type"), value_or_zero(*bank, "size_in_bytes")});
    }
}

KfdNode read_node(const HostRoot& root, unsigned index) {
    KfdNode node;
    node.index = index;
    const std::string folder = kNodes + std::to_string(index);
    int error_number = 0;
    if (const auto id = root.read(folder + "/gpu_id", &error_number, kMaxFileBytes)) {
        node.gpu_id = parse_decimal(trim(*id));
        if (!node.gpu_id)
            node.problem = folder + "/gpu_id is no number but \"" + printable(*id, 40) + "\"";
    } else if (error_number != ENOENT) {
        // ENOENT comes again with `properties` if the whole node has gone.
        node.problem = unreadable(folder + "/gpu_id", error_number);
    }
    if (auto properties = read_properties(root, folder + "/properties", node.problem))
        node.properties = std::move(*properties);
    if (value_or_zero(node.properties, "simd_count") == 0) return node;  // a CPU
    if (const auto name = root.read(folder + "/name", nullptr, kMaxFileBytes))
        node.name = printable(trim(*name));
    read_banks(root, folder, node);
    return node;
}

}  // namespace

void read_kfd(const HostRoot& root, HostFacts& facts) {
    if (const auto version = root.read("/sys/module/amdgpu/version"))
        facts.amdgpu_version = printable(trim(*version));
    facts.kfd_present = root.exists("/sys/class/kfd");
    if (!facts.kfd_present) return;
    std::vector<unsigned> indexes;
    for (const std::string& name : root.list(kNodes)) {
        const auto index = parse_decimal(name);
        if (index && *index <= UINT16_MAX && std::to_string(*index) == name)
            indexes.push_back(static_cast<unsigned>(*index));
    }
    if (indexes.empty())
        facts.problems.push_back(std::string(kNodes) + " is empty or cannot be read");
    std::sort(indexes.begin(), indexes.end());  // numeric: 2 before 10
    for (const unsigned index : indexes) facts.kfd_nodes.push_back(read_node(root, index));
}

}  // namespace gantry::host
