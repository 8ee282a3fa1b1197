// Runs the GPU check without a twin: in this process's own surroundings, or by the
// low-level runtime's exec in a container that runs already.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "probe/expectation.hpp"
#include "probe/verdict.hpp"

namespace gantry::probe {

struct DirectCheck {
    std::string probe_program;             // gantry-probe on the host
    std::vector<std::string> environment;  // of the check, or of the runtime that execs it
    // "/usr/bin/runc", "--root", "/run/runc", "exec", …, ID; empty: run it here. Three
    // descriptors are to be preserved.
    std::vector<std::string> by;
    std::string pid_file;                  // where the runtime writes the check's process
    std::chrono::milliseconds timeout{0};
    std::function<void(std::string_view)> heard;  // every line of the report, as it comes
};

// Errors: StateUnusable, ProbeMissing, RuntimeFailed.
[[nodiscard]] Result<RunOutcome> run_direct(const DirectCheck& check,
                                            const Expectation& expectation);

}  // namespace gantry::probe
