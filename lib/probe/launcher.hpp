// Runs the GPU check in a twin of the container: the same low-level runtime
// starts a throw-away container from the same edited spec, with its own bundle
// folder, id, state folder and cgroup. Nothing of it is left when this returns,
// unless the kernel holds a process that cannot be killed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "probe/expectation.hpp"
#include "probe/verdict.hpp"

namespace gantry::probe {

struct TwinRun {
    std::string runtime;                    // absolute path of runc or crun
    std::vector<std::string> global_flags;  // --systemd-cgroup and the like
    std::vector<std::string> run_flags;     // --no-pivot, --no-new-keyring
    std::vector<std::string> environment;   // of the low-level runtime
    std::string state_folder;               // /run/gantry
    std::string container_id;
    std::string bundle;                     // absolute folder of the container's bundle
    std::string rootfs;                     // absolute
    std::string probe_program;              // gantry-probe on the host
    std::chrono::milliseconds timeout{0};
};

// `edited_config` is the container's config.json after all edits. Errors: those
// of a twin that could not even be attempted (StateUnusable, ProbeMissing,
// SpecMalformed, SpecUnreadable); the rest is in the outcome.
[[nodiscard]] Result<RunOutcome> run_twin(const TwinRun& run, const std::string& edited_config,
                                          const Expectation& expectation);

// Ends and removes twins whose maker is gone (killed by its engine). At most
// `limit` of them, so that a create is never held up.
void sweep_stale_twins(const std::string& state_folder, const std::string& runtime,
                       const std::vector<std::string>& environment, std::size_t limit);

}  // namespace gantry::probe
