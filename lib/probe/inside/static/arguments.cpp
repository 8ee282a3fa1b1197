#include "probe/inside/static/arguments.hpp"

#include <cstring>

#include "probe/inside/decimal.hpp"

namespace gantry::probe::inside {

bool parse_node(const char* text, NodeArgument& node) {
    const char* const colon = std::strchr(text, ':');
    if (!colon) return false;
    const auto length = static_cast<std::size_t>(colon - text);
    bool known = false;
    for (const NodeRole role : kNodeRoles) {
        const char* const name = role_name(role);
        if (std::strlen(name) != length || std::memcmp(name, text, length) != 0) continue;
        node.role = role;
        known = true;
    }
    const char* cursor = colon + 1;
    if (!known || !take_decimal(cursor, ':', node.major) || !take_decimal(cursor, ':', node.minor))
        return false;
    node.path = cursor;
    return node.path[0] == '/';
}

bool parse_arguments(int argc, const char* const* argv, Arguments& arguments) {
    constexpr int kBeforeNodes = 3;  // the program and two descriptors
    constexpr int kAfterNodes = 6;   // --amd GPUS --nvidia GPUS --gemm TASK
    constexpr unsigned kMaxDescriptor = 0x7FFFFFFF;
    if (argc < kBeforeNodes + kAfterNodes || !parse_decimal(argv[1], arguments.report_fd) ||
        !parse_decimal(argv[2], arguments.challenge_fd))
        return false;
    if (arguments.report_fd > kMaxDescriptor || arguments.challenge_fd > kMaxDescriptor)
        return false;
    arguments.nodes = argv + kBeforeNodes;
    arguments.node_count = static_cast<unsigned>(argc - kBeforeNodes - kAfterNodes);
    NodeArgument node;
    for (unsigned i = 0; i < arguments.node_count; ++i)
        if (!parse_node(arguments.nodes[i], node)) return false;
    const char* const* const tail = argv + argc - kAfterNodes;
    arguments.amd = tail[1];
    arguments.nvidia = tail[3];
    arguments.gemm = tail[5];
    return std::strcmp(tail[0], "--amd") == 0 && std::strcmp(tail[2], "--nvidia") == 0 &&
           std::strcmp(tail[4], "--gemm") == 0;
}

}  // namespace gantry::probe::inside
