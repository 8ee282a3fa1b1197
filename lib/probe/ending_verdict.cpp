#include <csignal>
#include <cstring>

#include "probe/foreign_text.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

// The GPU that the check had not done with, if it came so far.
const GpuReport* unfinished_gpu(const Report& report) {
    for (const LibraryReport* library : {&report.nvidia, &report.amd})
        for (const GpuReport& gpu : library->gpus)
            if (!gpu.done && gpu.failed.call.empty() && gpu.busy.empty() &&
                !gpu.last_stage.empty())
                return &gpu;
    return nullptr;
}

// "cuInit", or what came before the first stage.
std::string stage_of(const Report& report) {
    const GpuReport* const gpu = unfinished_gpu(report);
    const std::string& stage = gpu ? gpu->last_stage : report.last_stage;
    return stage.empty() ? "its start" : foreign_text(stage, 40);
}

std::string libraries_of(const Report& report) {
    std::string text;
    for (const LibraryReport* library : {&report.nvidia, &report.amd}) {
        if (library->path.empty()) continue;
        text += text.empty() ? "Loaded: " : ", ";
        text += foreign_text(library->path, 100);
    }
    return text.empty() ? text : text + ".";
}

struct SignalMeaning {
    int signal;  // 0: any other
    const char *verb, *action, *cause;
};
constexpr SignalMeaning kSignals[] = {
    {SIGKILL, "killed", "see dmesg for out-of-memory kills",
     "Before the deadline only the kernel or an administrator sends SIGKILL."},
    {SIGSYS, "killed", "allow that system call",
     "The container's seccomp profile kills the process for a system call it makes."},
    {0, "crashed", "compare library with driver",
     "The GPU library crashed in the container. See dmesg on the host for GPU faults."},
};

const SignalMeaning& meaning_of(int signal) {
    const SignalMeaning* entry = kSignals;
    while (entry->signal != 0 && entry->signal != signal) ++entry;
    return *entry;
}

Error judge_exit(const std::string& gpu, int exit_code, const Report& report) {
    // runc and crun answer 128 + the signal's number for a process that a signal ended.
    if (exit_code <= 128 || exit_code >= 128 + NSIG)
        return check_failed(
            Code::ProbeCrashed, gpu,
            "ended early at " + stage_of(report) + " (exit " + std::to_string(exit_code) + ")",
            "see the engine's log",
            sentences({"The check stopped without a result and without a signal.",
                       libraries_of(report)}));
    const int signal = exit_code - 128;
    const SignalMeaning& meaning = meaning_of(signal);
    const char* const name = ::sigabbrev_np(signal);
    return check_failed(Code::ProbeCrashed, gpu,
                        std::string(meaning.verb) + " at " + stage_of(report) + " (" +
                            (name ? "SIG" + std::string(name) : std::to_string(signal)) + ")",
                        meaning.action, sentences({meaning.cause, libraries_of(report)}));
}

}  // namespace

std::optional<Error> judge_ending(const Expectation& expectation, const RunOutcome& run,
                                  const Report& report) {
    const std::string gpu = name_gpus(expectation, Whose::All);
    if (run.unkillable)
        return check_failed(Code::ProbeStuck, gpu, "stuck at " + stage_of(report),
                            "see dmesg, then reset GPU or reboot",
                            sentences({run.waits.empty() ? "" : "Its " + run.waits + ".",
                                       "The check does not die of SIGKILL: the driver holds it in "
                                       "the kernel (look for Xid, ring timeout, GPU reset). Its "
                                       "container and cgroup stay behind until then.",
                                       libraries_of(report)}));
    if (report.ended) return std::nullopt;
    if (run.deadline_passed)
        return check_failed(Code::ProbeHung, gpu, "hung at " + stage_of(report),
                            "see dmesg on the host, reset the GPU",
                            sentences({"It did not return in time and was killed. A cold driver "
                                       "can need seconds for each GPU: nvidia-persistenced keeps "
                                       "it warm.",
                                       libraries_of(report)}));
    return judge_exit(gpu, run.exit_code, report);
}

Error judge_interrupted(const RunOutcome& run) {
    const char* const name = ::sigabbrev_np(run.interrupted_by);
    return {Code::TwinFailed,
            "GPU check not made: stopped by " +
                (name ? "SIG" + std::string(name) : std::to_string(run.interrupted_by)) +
                "; start the container again",
            std::string("The engine or a person ended Gantry during the check. ") +
                (run.unkillable ? "The check does not die of SIGKILL: see dmesg."
                                : "This says nothing of the GPU.")};
}

Error judge_no_begin(const RunOutcome& run) {
    std::string what = "GPU check not made: ";
    std::string details;
    if (run.runtime_killed)
        what += "its runtime was killed; see dmesg on the host";
    else if (run.unkillable)
        what += "its container cannot be killed; see dmesg on the host";
    else if (run.deadline_passed)
        what += "its container did not start in time; see the load of the host";
    else
        what += "its container did not start; see what the runtime said";
    details = "This says nothing of the GPU.";
    if (!run.runtime_text.empty())
        details += " The runtime said: " + foreign_text(run.runtime_text, 280);
    else
        details += " The runtime said nothing (exit " + std::to_string(run.exit_code) + ").";
    return {Code::TwinFailed, std::move(what), std::move(details)};
}

}  // namespace gantry::probe
