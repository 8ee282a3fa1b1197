// `gantryctl probe`: the GPU check by hand, on this host, in a bundle, or in a
// container that has been running for days.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.hpp"
#include "base/error.hpp"
#include "probe/verdict.hpp"

namespace gantry::app {

struct ProbeWish {
    std::string bundle;     // empty: not a bundle
    std::string container;  // the beginning of an id or a pod's name; empty: none
    std::optional<std::string> runtime;  // for a bundle; absolute path
};

// One step of the check as it begins.
struct ProbeStage {
    std::string gpu;        // "nvidia 0"; empty: of no GPU alone
    std::string name;
    std::chrono::milliseconds at{0};  // since the check began
};
using ProbeListener = std::function<void(const ProbeStage&)>;

struct ProbeAnswer {
    std::string where;      // "this host", "container 0123456789ab", "bundle /x"
    probe::Verdict verdict;
    std::vector<ProbeStage> stages;
    std::chrono::milliseconds time{0};
};

// Errors: whatever keeps the check from being made.
[[nodiscard]] Result<ProbeAnswer> probe_now(const Settings& settings, const ProbeWish& wish,
                                            const std::vector<std::string>& environment,
                                            const ProbeListener& listener);

}  // namespace gantry::app
