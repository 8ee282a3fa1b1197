// Runs the GPU check in a twin of the container: the same low-level runtime
// starts a throw-away container from the same edited spec, with its own bundle
// folder, id, state folder and cgroup. Nothing of it is left when this returns but
// mount points in the rootfs, unless the kernel holds a process that cannot be killed.
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

struct TwinResult {
    RunOutcome outcome;
    // Mount points and nodes that were not in the rootfs before, parents first.
    // The container is about to need the same, so they are removed only where it
    // is refused: another container may share the rootfs, and to remove a folder
    // takes away what is mounted on it in any mount namespace.
    std::vector<std::string> made_in_rootfs;
};

// `edited_config` is the container's config.json after all edits. Errors: those
// of a twin that could not even be attempted (StateUnusable, ProbeMissing,
// SpecMalformed, SpecUnreadable); the rest is in the outcome.
[[nodiscard]] Result<TwinResult> run_twin(const TwinRun& run, const std::string& edited_config,
                                          const Expectation& expectation);

// Takes them away again, by descriptor and as far as they hold nothing.
void undo_in_rootfs(const std::string& rootfs, const std::vector<std::string>& made);

// Ends and removes twins whose maker is gone (killed by its engine). At most
// `limit` of them, so that a create is never held up.
void sweep_stale_twins(const std::string& state_folder, const std::string& runtime,
                       const std::vector<std::string>& environment, std::size_t limit);

}  // namespace gantry::probe
