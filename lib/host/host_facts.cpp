#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

void append(std::vector<DeviceNode>& nodes, std::vector<DeviceNode> more) {
    nodes.insert(nodes.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

}  // namespace

std::string unreadable(const std::string& path, int error_number) {
    return printable(path, 200) + " " + errno_text(error_number);
}

Result<HostFacts> read_host_facts(const HostRoot& root, FactsWanted wanted) {
    HostFacts facts;
    facts.simulated = root.simulated();
    facts.root = root.path();
    if (wanted.amd) {
        read_kfd(root, facts);
        read_drm(root, facts);
        if (auto kfd = root.node("/dev/kfd")) facts.nodes.push_back(std::move(*kfd));
        append(facts.nodes, root.nodes_in("/dev/dri"));
    }
    if (wanted.nvidia) {
        read_nvidia_proc(root, facts);
        append(facts.nodes, root.nodes_in("/dev", "nvidia"));
        read_driver_files(root, facts);
    }
    read_pci(root, wanted, facts);
    if (!facts.nodes.empty()) read_char_majors(root, facts);
    std::sort(facts.nodes.begin(), facts.nodes.end(),
              [](const DeviceNode& a, const DeviceNode& b) { return a.path < b.path; });
    return facts;
}

}  // namespace gantry::host
