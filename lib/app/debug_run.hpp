// The running half of debug mode: check, create, start and clean-up on a copy
// of the bundle, in mounts that nobody else sees.
#pragma once

#include "app/debug_bundle.hpp"

namespace gantry::app {

struct DebugRun {
    const Settings& settings;
    const LowLevelRuntime& runtime;
    const std::vector<std::string>& environment;
    std::string bundle, rootfs;         // absolute
    std::string edited_config;
    const plan::Plan& plan;
    std::vector<std::string> process_args;
    bool check_only = false;
};

// Fills in the result from the verdict on. Where no private copy can be made,
// no_run_reason says why and nothing is run.
void run_debug_copy(const DebugRun& run, const DebugStep& step, DebugResult& result);

}  // namespace gantry::app
