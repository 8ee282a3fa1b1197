// The configuration file before anybody looks at what it says.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace gantry::app {

// Its text; nullopt where there is no file. Never blocks, whatever stands in
// its place. Errors: ConfigInvalid for a path or file that cannot be read,
// ConfigUnsafe for one that others can write.
[[nodiscard]] Result<std::optional<std::string>> read_settings_file(const std::string& path);

}  // namespace gantry::app
