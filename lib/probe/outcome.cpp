#include "probe/outcome.hpp"

namespace gantry::probe {
namespace {

using enum Outcome;

// A container is refused only where something is proven broken: a healthy GPU
// that is shared, full or slow today, or an image without a library, is not.
constexpr OutcomeRow kTable[] = {
    {Pass, "PASS", "", false},
    {Simulated, "SIMULATED", "", false},
    {Slow, "SLOW", "slow", false},
    {Busy, "BUSY", "busy", false},
    {OutOfGpuMemory, "OUT_OF_GPU_MEMORY", "out-of-gpu-memory", false},
    {NoGpuLibrary, "NO_GPU_LIBRARY", "no-gpu-library", false},
    {NotApplicable, "NOT_APPLICABLE", "not-applicable", false},
    {Access, "ACCESS", "access", true},
    {Mismatch, "MISMATCH", "mismatch", true},
    {WrongResult, "WRONG_RESULT", "wrong-result", true},
    {CpuFallback, "CPU_FALLBACK", "cpu-fallback", true},
    {Fault, "FAULT", "fault", true},
    {Hung, "HUNG", "hung", true},
    {StuckInDriver, "STUCK_IN_DRIVER", "stuck-in-driver", true},
    {TwinFailed, "TWIN_FAILED", "twin-failed", true},
};
static_assert(std::size(kTable) == static_cast<std::size_t>(TwinFailed) + 1);

struct CodeRow {
    Code code;
    Outcome outcome;
};
constexpr CodeRow kCodes[] = {
    {Code::ProbeAccess, Access},
    {Code::ProbeNoLibrary, NoGpuLibrary},
    {Code::ProbeNoLoader, NotApplicable},
    {Code::ProbeLibraryMissing, Mismatch},
    {Code::ProbeLibraryFailed, Mismatch},
    {Code::ProbeDeviceCount, Mismatch},
    {Code::ProbeHung, Hung},
    {Code::ProbeStuck, StuckInDriver},
    {Code::ProbeCrashed, Fault},
    {Code::ProbeGarbled, Fault},
    {Code::ProbeGpuFault, Fault},
    {Code::ProbeWrongResult, WrongResult},
    {Code::ProbeCpuFallback, CpuFallback},
    {Code::ProbeSlow, Slow},
    {Code::ProbeBusy, Busy},
    {Code::ProbeOutOfMemory, OutOfGpuMemory},
};

}  // namespace

std::span<const OutcomeRow> outcome_table() { return kTable; }

const OutcomeRow& row_of(Outcome outcome) { return kTable[static_cast<std::size_t>(outcome)]; }

std::string_view to_string(Outcome outcome) { return row_of(outcome).name; }

OutcomeSwitches::OutcomeSwitches() {
    for (const OutcomeRow& row : kTable) set(row.outcome, row.refuses);
}

Outcome outcome_of(Code code) {
    for (const CodeRow& row : kCodes)
        if (row.code == code) return row.outcome;
    return TwinFailed;  // whatever kept the check from being made
}

}  // namespace gantry::probe
