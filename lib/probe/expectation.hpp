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

struct ExpectedGpu {
    std::string title;             // "AMD GPU 0 (RX 6700 XT)"
    std::string pci_address;       // 0000:03:00.0; that of the card for its partitions
    double peak_gflops = 0;        // fp32 on the vector units, by data sheet; 0: not known
    std::string in_use = {};       // by whom, so that nothing is computed on it; empty: free
};

// What is to be computed, and how fast that must be.
struct ExpectedProduct {
    unsigned size = 0;             // n of the n x n product; 0: nothing is computed
    unsigned rounds = 1;           // each is timed and checked by itself
    unsigned budget_ms = 100;      // of the timed products of a round
    double min_gflops = 0;         // 0: by the peak; never below 100
    double min_fraction_of_peak = 0;  // of the peak where that is known
    bool hip = false;              // AMD's GPUs through HIP instead of HSA
    bool timed = true;             // false: others may compute there too, so slow is no finding
};

struct Expectation {
    bool simulated = false;        // host root is not "/": no driver stands behind the nodes
    std::vector<ExpectedNode> nodes;
    std::vector<ExpectedGpu> amd, nvidia;  // those that the vendor's library must count
    ExpectedProduct product;
};

}  // namespace gantry::probe
