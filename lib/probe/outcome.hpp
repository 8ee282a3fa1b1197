// What a GPU check can come to, as data.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "base/code.hpp"

namespace gantry::probe {

enum class Outcome : std::uint8_t {
    Pass,            // every granted GPU has just multiplied matrices right and fast
    Simulated,       // the same on a simulated host: nothing is proven of any hardware
    Slow,            // right, but below the floor
    Busy,            // others use the GPU, so nothing was computed; its nodes are fine
    OutOfGpuMemory,  // its memory is full; its nodes are fine
    NoGpuLibrary,    // the image has none; the nodes are fine
    NotApplicable,   // the image can run none (musl, scratch); the nodes are fine
    Access,          // a granted node cannot be used
    Mismatch,        // driver, library and GPU do not fit
    WrongResult,     // it computes wrong
    CpuFallback,     // a processor did the work
    Fault,           // GPU or library crashed, or answered nonsense
    Hung,            // no answer in time, killed
    StuckInDriver,   // no answer in time, and cannot be killed
    TwinFailed,      // nothing is known of the GPU
};

struct OutcomeRow {
    Outcome outcome;
    std::string_view name;  // "OUT_OF_GPU_MEMORY": in records, logs and lists
    std::string_view key;   // "out-of-gpu-memory": in [probe.verdicts]; empty: no switch
    bool refuses;           // by default; false: the container starts, with a warning or without
};

// In the order of the enumeration. A container is refused only where something is
// proven broken: a healthy GPU that is shared, full or slow today, or an image
// without a library, is not.
inline constexpr OutcomeRow kOutcomes[] = {
    {Outcome::Pass, "PASS", "", false},
    {Outcome::Simulated, "SIMULATED", "", false},
    {Outcome::Slow, "SLOW", "slow", false},
    {Outcome::Busy, "BUSY", "busy", false},
    {Outcome::OutOfGpuMemory, "OUT_OF_GPU_MEMORY", "out-of-gpu-memory", false},
    {Outcome::NoGpuLibrary, "NO_GPU_LIBRARY", "no-gpu-library", false},
    {Outcome::NotApplicable, "NOT_APPLICABLE", "not-applicable", false},
    {Outcome::Access, "ACCESS", "access", true},
    {Outcome::Mismatch, "MISMATCH", "mismatch", true},
    {Outcome::WrongResult, "WRONG_RESULT", "wrong-result", true},
    {Outcome::CpuFallback, "CPU_FALLBACK", "cpu-fallback", true},
    {Outcome::Fault, "FAULT", "fault", true},
    {Outcome::Hung, "HUNG", "hung", true},
    {Outcome::StuckInDriver, "STUCK_IN_DRIVER", "stuck-in-driver", true},
    {Outcome::TwinFailed, "TWIN_FAILED", "twin-failed", true},
};
static_assert(std::size(kOutcomes) == static_cast<std::size_t>(Outcome::TwinFailed) + 1);

[[nodiscard]] constexpr std::span<const OutcomeRow> outcome_table() { return kOutcomes; }
[[nodiscard]] constexpr const OutcomeRow& row_of(Outcome outcome) {
    return kOutcomes[static_cast<std::size_t>(outcome)];
}
[[nodiscard]] constexpr std::string_view to_string(Outcome outcome) { return row_of(outcome).name; }

// Which outcomes refuse a container: the table's defaults, each with its own switch.
class OutcomeSwitches {
public:
    OutcomeSwitches();
    [[nodiscard]] bool refuses(Outcome outcome) const { return (refusing_ & bit(outcome)) != 0; }
    void set(Outcome outcome, bool refuses) {
        refusing_ = refuses ? refusing_ | bit(outcome) : refusing_ & ~bit(outcome);
    }
    bool operator==(const OutcomeSwitches&) const = default;

private:
    [[nodiscard]] static std::uint32_t bit(Outcome outcome) {
        return std::uint32_t{1} << static_cast<unsigned>(outcome);
    }
    std::uint32_t refusing_ = 0;
};

// The outcome that an error of the check stands for.
[[nodiscard]] Outcome outcome_of(Code code);

}  // namespace gantry::probe
