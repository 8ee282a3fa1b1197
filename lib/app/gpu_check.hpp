// The GPU check of one planned container, as shim and debug mode run it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/runtime_choice.hpp"
#include "app/settings.hpp"
#include "oci-spec/runtime_argv.hpp"
#include "plan/plan.hpp"
#include "probe/expectation.hpp"
#include "probe/verdict.hpp"

namespace gantry::app {

struct GpuCheck {
    LowLevelRuntime runtime;
    const oci::RuntimeArgv& arguments;   // for the flags that shape the twin
    std::vector<std::string> environment;
    std::string container_id;
    std::string bundle, rootfs;          // absolute
    const std::vector<inventory::Gpu>& gpus;  // granted
};

// The policy for this container: the annotation gantry.gpu/probe beats the
// configuration. Error: ConfigInvalid for an annotation of another value.
[[nodiscard]] Result<ProbePolicy> effective_policy(const Settings& settings,
                                                   const request::Request& request);

// The plan's expectation as far as it is checked at the configured level.
[[nodiscard]] probe::Expectation checked_expectation(const Settings& settings,
                                                     const probe::Expectation& expectation);
// For the whole check: the configured time for the first GPU, 5 s more for each
// further one (a card's partitions start together), at most 90 s.
[[nodiscard]] std::chrono::milliseconds time_limit(const Settings& settings,
                                                   const probe::Expectation& checked);

// Marks the GPUs that others use now, so that nothing is computed on them.
void note_other_users(const Settings& settings, const std::vector<inventory::Gpu>& gpus,
                      probe::Expectation& wanted);

// Does the verdict keep the container from starting?
[[nodiscard]] bool refuses(const Settings& settings, ProbePolicy policy,
                           const probe::Verdict& verdict);

struct CheckResult {
    probe::Verdict verdict;
    std::vector<std::string> made_in_rootfs;  // for probe::undo_in_rootfs()
    int interrupted_by = 0;                   // signal that ended the check, 0: none
};

// Runs the twin and judges it. A twin that could not be tried is TwinFailed,
// never a verdict about the GPU.
[[nodiscard]] CheckResult check_gpus(const Settings& settings, const GpuCheck& check,
                                        const std::string& edited_config,
                                        const probe::Expectation& expectation);

// Where gantry-probe is: ../libexec/gantry/ from this program, or beside it.
[[nodiscard]] std::string probe_program();

}  // namespace gantry::app
