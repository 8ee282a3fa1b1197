// An explanation for a terminal: lines of at most 80 columns.
#pragma once

#include <string>

#include "diagnosis/look_up.hpp"

namespace gantry::diagnosis {

[[nodiscard]] std::string render_text(const Explanation& row);
[[nodiscard]] std::string render_text(const probe::Diagnosis& status);
// "  GTY-204  /dev/kfd without its render node"
[[nodiscard]] std::string render_line(const Explanation& row);
[[nodiscard]] std::string render_line(const probe::Diagnosis& status);

}  // namespace gantry::diagnosis
