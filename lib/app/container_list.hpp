// `gantryctl ps`: the containers that Gantry gave GPUs to.
#pragma once

#include <string>
#include <vector>

#include "app/record.hpp"

namespace gantry::app {

// Lines of at most 80 columns where names allow it.
[[nodiscard]] std::string render_container_table(const std::vector<Record>& records);
// An object with "containers".
[[nodiscard]] std::string render_container_json(const std::vector<Record>& records);

}  // namespace gantry::app
