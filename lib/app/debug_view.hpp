// Debug mode for a person (80 columns) and for a program (one JSON object).
#pragma once

#include <string>

#include "app/debug_bundle.hpp"

namespace gantry::app {

// The lines of one step, as it ends. `colour`: stdout is a terminal.
[[nodiscard]] std::string render_step(const char* name, const DebugResult& result, bool colour);
[[nodiscard]] std::string render_ending(const DebugResult& result, bool colour);
[[nodiscard]] std::string render_debug_json(const DebugResult& result);

}  // namespace gantry::app
