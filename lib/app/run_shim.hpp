// gantry-runtime: an OCI runtime in front of runc or crun.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::app {

// Returns only on failure, with the exit status; otherwise this process has
// become the low-level runtime.
[[nodiscard]] int run_shim(const std::vector<std::string_view>& argv, char** environment);

}  // namespace gantry::app
