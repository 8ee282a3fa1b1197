// What the dynamic part is asked to do, as its arguments say.
#pragma once

#include <cstdint>

namespace gantry::probe::inside {

inline constexpr unsigned kMaxGpus = 64;

struct Task {
    int report_fd = -1;
    int challenge_fd = -1;        // challenges come here (probe/protocol.hpp)
    const char* gpus = "";        // granted, of this vendor: PCI addresses or kAnyGpu, by commas
    unsigned size = 0;            // n of the product; 0: nothing is computed
    unsigned rounds = 1;
    unsigned budget_ms = 0;       // for the timed products of one round
    std::uint32_t seed_a = 0, seed_b = 0;
};

// How many of the listed GPUs have this address.
[[nodiscard]] unsigned granted(const Task& task, const char* pci_address);
// How many are listed.
[[nodiscard]] unsigned granted_count(const Task& task);

}  // namespace gantry::probe::inside
