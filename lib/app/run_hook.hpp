// gantry-hook: Gantry as an OCI hook.
#pragma once

#include <string>
#include <vector>

namespace gantry::app {

// precreate (Podman's hooks.d): config.json on stdin, the edited one on stdout.
// Its environment is ignored, since an image can set it; the configuration
// comes by --config alone.
[[nodiscard]] int run_hook(const std::vector<std::string>& arguments);

}  // namespace gantry::app
