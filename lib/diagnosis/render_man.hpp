// gantry-diagnosis(7), whole, in mdoc(7).
#pragma once

#include <string>

namespace gantry::diagnosis {

[[nodiscard]] std::string render_man_page();

}  // namespace gantry::diagnosis
