#include "probe/outcome.hpp"

namespace gantry::probe {
namespace {

using enum Outcome;

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

OutcomeSwitches::OutcomeSwitches() {
    for (const OutcomeRow& row : kOutcomes) set(row.outcome, row.refuses);
}

Outcome outcome_of(Code code) {
    for (const CodeRow& row : kCodes)
        if (row.code == code) return row.outcome;
    return TwinFailed;  // whatever kept the check from being made
}

}  // namespace gantry::probe
