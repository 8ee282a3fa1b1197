// `gantryctl debug BUNDLE`: one bundle, step by step, from the host's facts to
// the end of its own process. The bundle and its rootfs are never written to.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/runtime_choice.hpp"
#include "app/settings.hpp"
#include "base/error.hpp"
#include "inventory/inventory.hpp"
#include "plan/plan.hpp"
#include "probe/verdict.hpp"

namespace gantry::app {

struct DebugOptions {
    std::string bundle;
    std::optional<std::string> runtime;   // absolute path; else as the shim chooses
    bool run = true;                      // false: stop after the difference to config.json
    bool check_only = false;              // stop after the verdict
};

// What the steps came to, in their order; a step that was not reached is empty.
struct DebugResult {
    std::string runtime;
    std::optional<inventory::Inventory> inventory;
    std::optional<request::Request> request;
    std::optional<plan::Plan> plan;
    std::vector<std::string> difference;  // "+ linux.devices[] {…}"
    std::string no_run_reason;            // why nothing was run, empty if it was
    std::optional<probe::Verdict> verdict;
    std::chrono::milliseconds check_time{0};
    std::optional<std::string> create, start;  // "ok", or the runtime's words
    std::string process;                  // "exited with status 0", "killed after 10 s"
    std::string output;                   // of the bundle's process
    std::string clean_up;
    std::optional<Error> error;           // the first that ended the walk
};

// `step` is called as each step ends, so that a person sees where it stands.
using DebugStep = std::function<void(const char* name, const DebugResult&)>;

[[nodiscard]] DebugResult debug_bundle(const Settings& settings, const DebugOptions& options,
                                       const std::vector<std::string>& environment,
                                       const DebugStep& step);

// The edits as lines of a difference to config.json.
[[nodiscard]] std::vector<std::string> describe_difference(const oci::ContainerEdits& edits);

}  // namespace gantry::app
