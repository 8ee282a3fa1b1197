// judge(): expectation + what came back -> verdict. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "probe/expectation.hpp"
#include "probe/report.hpp"

namespace gantry::probe {

enum class Outcome {
    Pass,        // every granted node opened and answered, the library counts the GPUs
    Simulated,   // the same on a simulated host: nothing is proven of any hardware
    NoLibrary,   // devices fine, the image has no GPU library: a warning
    Fail,        // something is proven broken
    TwinFailed,  // nothing is known of the GPU
};

struct Verdict {
    Outcome outcome = Outcome::Fail;
    std::string summary;         // one line: "2 nodes opened, 1 GPU counted by …"
    std::optional<Error> error;  // set for Fail, NoLibrary and TwinFailed
};

// How the check ended, seen from outside.
struct RunOutcome {
    bool deadline_passed = false;
    bool unkillable = false;
    int exit_code = 0;           // of the low-level runtime's foreground run
    bool runtime_killed = false; // the runtime itself ended by a signal, nobody knows of the check
    std::string runtime_text;    // its own error words (bounded), for TWIN_FAILED
    std::string report_text;     // what came through the pipe (bounded)
    bool report_overflow = false;
};

[[nodiscard]] Verdict judge(const Expectation& expectation, const RunOutcome& run);

// "PASS", "SIMULATED", "NO_GPU_LIBRARY", "FAIL", "TWIN_FAILED"
[[nodiscard]] std::string to_string(Outcome outcome);

}  // namespace gantry::probe
