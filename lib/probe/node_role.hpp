// What a granted device node is for. Free of the C++ library: the part that
// runs in the container links none.
#pragma once

namespace gantry::probe {

enum class NodeRole : unsigned char { AmdKfd, AmdRender, NvidiaControl, NvidiaUvm, NvidiaGpu };

// As gantry-probe's arguments write it: ROLE:MAJOR:MINOR:PATH.
[[nodiscard]] constexpr const char* role_name(NodeRole role) {
    switch (role) {
        case NodeRole::AmdKfd: return "kfd";
        case NodeRole::AmdRender: return "render";
        case NodeRole::NvidiaControl: return "nvctl";
        case NodeRole::NvidiaUvm: return "nvuvm";
        case NodeRole::NvidiaGpu: return "nvgpu";
    }
    return "";
}

inline constexpr NodeRole kNodeRoles[] = {NodeRole::AmdKfd, NodeRole::AmdRender,
                                          NodeRole::NvidiaControl, NodeRole::NvidiaUvm,
                                          NodeRole::NvidiaGpu};

}  // namespace gantry::probe
