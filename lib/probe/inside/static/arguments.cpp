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
    constexpr int kAfterNodes = 4;  // --amd N --nvidia N
    if (argc < 2 + kAfterNodes || !parse_decimal(argv[1], arguments.report_fd)) return false;
    if (arguments.report_fd > 0x7FFFFFFF) return false;
    arguments.nodes = argv + 2;
    arguments.node_count = static_cast<unsigned>(argc - 2 - kAfterNodes);
    NodeArgument node;
    for (unsigned i = 0; i < arguments.node_count; ++i)
        if (!parse_node(arguments.nodes[i], node)) return false;
    const char* const* const tail = argv + argc - kAfterNodes;
    arguments.amd = tail[1];
    arguments.nvidia = tail[3];
    unsigned count = 0;
    return std::strcmp(tail[0], "--amd") == 0 && parse_decimal(arguments.amd, count) &&
           std::strcmp(tail[2], "--nvidia") == 0 && parse_decimal(arguments.nvidia, count);
}

}  // namespace gantry::probe::inside
