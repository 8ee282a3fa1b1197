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

// A container may see more GPUs than it was granted. There is a challenge for each
// granted one, so no more are computed on: the k-th at an address is the k-th
// granted there (partitions of a card share theirs).
class Grants {
public:
    explicit Grants(const Task& task) : list_(task.gpus) {}
    // True where a GPU of that address is granted and was not taken yet.
    [[nodiscard]] bool take(const char* pci_address);

private:
    const char* list_;
    bool taken_[kMaxGpus] = {};
};

}  // namespace gantry::probe::inside
