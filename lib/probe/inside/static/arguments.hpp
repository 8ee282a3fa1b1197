// gantry-probe REPORT_FD CHALLENGE_FD NODE... --amd GPUS --nvidia GPUS --gemm TASK
// NODE is ROLE:MAJOR:MINOR:PATH; GPUS the granted ones of a vendor, "-" for none,
// and TASK what to compute, both as the dynamic part reads them.
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
    unsigned report_fd = 0, challenge_fd = 0;
    const char* const* nodes = nullptr;  // texts that parse_node() takes
    unsigned node_count = 0;
    const char* amd = "-";
    const char* nvidia = "-";
    const char* gemm = "";
};
// False where anything is not as above: the launcher and the program are then
// of different versions, and nothing is checked.
[[nodiscard]] bool parse_arguments(int argc, const char* const* argv, Arguments& arguments);

}  // namespace gantry::probe::inside
