// What `gantryctl probe` prints: a line as each step begins, a table at the end.
#pragma once

#include <string>

#include "app/probe_now.hpp"

namespace gantry::app {

// "   0.354 s  nvidia 0  cuModuleLoadDataEx"
[[nodiscard]] std::string render_stage(const ProbeStage& stage);
[[nodiscard]] std::string render_answer(const ProbeAnswer& answer);
[[nodiscard]] std::string render_answer_json(const ProbeAnswer& answer);

}  // namespace gantry::app
