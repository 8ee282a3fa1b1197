// `gantryctl ps`: the containers that Gantry gave GPUs to.
#pragma once

#include <string>
#include <vector>

#include "app/record.hpp"

namespace gantry::app {

// Lines of at most 80 columns where names allow it.
[[nodiscard]] std::string render_container_table(const std::vector<RecordedContainer>& containers);
// An object with "containers".
[[nodiscard]] std::string render_container_json(const std::vector<RecordedContainer>& containers);

}  // namespace gantry::app
