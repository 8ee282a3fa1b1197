// Containers that start at once on one GPU are checked one after another: each
// would make the other slow, and together they would need twice the memory.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "probe/expectation.hpp"

namespace gantry::app {

// Engines give a create two minutes and more.
inline constexpr std::chrono::seconds kMostWaitForGpus{25};

class GpuTurns {
public:
    // Waits for every GPU of the expectation, but no longer than `most` in all.
    [[nodiscard]] static GpuTurns take(const std::string& state_folder,
                                       const probe::Expectation& expectation,
                                       std::chrono::milliseconds most);

    // False: others may be computing there now, so speed says nothing.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    std::vector<UniqueFd> locks_;  // until this object goes
    bool complete_ = true;
};

}  // namespace gantry::app
