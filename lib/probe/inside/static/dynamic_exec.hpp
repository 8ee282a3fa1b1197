// Becomes the dynamic part, by way of the image's own loader.
#pragma once

#include "probe/inside/static/arguments.hpp"
#include "probe/inside/static/descriptors.hpp"

namespace gantry::probe::inside {

// Returns only where that fails: ENOENT where the image has no such loader,
// ENOEXEC or EACCES where it cannot be used.
[[nodiscard]] int exec_dynamic_part(const Descriptors& descriptors, const Arguments& arguments);

}  // namespace gantry::probe::inside
