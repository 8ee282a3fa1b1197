// What the check in the container is to find. Made by the planner, read by the
// launcher (to tell gantry-probe) and by the judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/node_role.hpp"

namespace gantry::probe {

struct ExpectedNode {
    NodeRole role = NodeRole::AmdKfd;
    std::string path;              // in the container
    std::uint32_t major = 0, minor = 0;
    std::string gpu;               // "AMD GPU 0 (RX 6700 XT)", for messages; may be empty
};

struct Expectation {
    bool simulated = false;        // host root is not "/": no driver stands behind the nodes
    std::vector<ExpectedNode> nodes;
    unsigned amd_gpus = 0;         // number the vendor library must count
    unsigned nvidia_gpus = 0;
};

}  // namespace gantry::probe
