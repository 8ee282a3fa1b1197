// gantry-probe REPORT_FD NODE... --amd N --nvidia N
// NODE is ROLE:MAJOR:MINOR:PATH; N the GPUs expected of a vendor, 0: not asked.
#pragma once

#include "probe/node_role.hpp"

namespace gantry::probe::inside {

struct NodeArgument {
    NodeRole role = NodeRole::AmdKfd;
    unsigned major = 0, minor = 0;
    const char* path = "";
};
[[nodiscard]] bool parse_node(const char* text, NodeArgument& node);

struct Arguments {
    unsigned report_fd = 0;
    const char* const* nodes = nullptr;  // texts that parse_node() takes
    unsigned node_count = 0;
    const char* amd = "0";               // decimal numbers
    const char* nvidia = "0";
};
// False where anything is not as above: the launcher and the program are then
// of different versions, and nothing is checked.
[[nodiscard]] bool parse_arguments(int argc, const char* const* argv, Arguments& arguments);

}  // namespace gantry::probe::inside
