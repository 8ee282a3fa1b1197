// /run/gantry, or $XDG_RUNTIME_DIR/gantry where this is not the host's root.
#pragma once

#include <string>
#include <vector>

namespace gantry::app {

// Rootless engines are uid 0 in a user namespace of their own, where the host's
// /run is out of reach and the host's root is nobody.
[[nodiscard]] bool in_user_namespace();

[[nodiscard]] std::string state_folder(const std::string& xdg_runtime_dir);

// Value of an environment entry, empty where absent.
[[nodiscard]] std::string environment_value(const std::vector<std::string>& environment,
                                            std::string_view name);

}  // namespace gantry::app
