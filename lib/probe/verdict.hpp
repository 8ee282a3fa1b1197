// judge(): expectation + what came back -> verdict. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "probe/dialogue.hpp"
#include "probe/expectation.hpp"
#include "probe/outcome.hpp"
#include "probe/report.hpp"

namespace gantry::probe {

// One GPU that was computed on, or was to be.
struct GpuResult {
    std::string title;                  // "AMD GPU 0 (RX 6700 XT)"
    std::string target;                 // "gfx1030", "sm_90"; empty where it did not come so far
    Outcome outcome = Outcome::Pass;
    // By the GPU's own clock, and by the launcher's over all products of a round,
    // which is what is judged; 0 where nothing was computed.
    double best_gflops = 0, median_gflops = 0, judged_gflops = 0;
    double peak_gflops = 0;             // by data sheet; 0: not known
    double processor_seconds = 0;       // that the check used in the last round; 0: not known
    unsigned units = 0, units_seen = 0; // that the GPU has, and that took part
};

struct Verdict {
    Outcome outcome = Outcome::TwinFailed;
    std::string summary;         // one line: "2 nodes opened, 1 GPU counted by …"
    std::optional<Error> error;  // unless Pass or Simulated
    std::vector<GpuResult> gpus; // as far as the check came
};

// How the check ended, seen from outside.
struct RunOutcome {
    bool deadline_passed = false;
    int interrupted_by = 0;      // signal that told the launcher to end, 0: none
    bool unkillable = false;
    int exit_code = 0;           // of the low-level runtime's foreground run
    bool runtime_killed = false; // the runtime itself ended by a signal, nobody knows of the check
    std::string waits;           // of one that cannot be killed: "process 4711 waits in …"
    std::vector<TimedProducts> products;
    std::string runtime_text;    // its own error words (bounded), for TWIN_FAILED
    std::string report_text;     // what came through the pipe (bounded)
    bool report_overflow = false;
};

[[nodiscard]] Verdict judge(const Expectation& expectation, const RunOutcome& run);

}  // namespace gantry::probe
