// Becomes the dynamic part, by way of the image's own loader.
#pragma once

namespace gantry::probe::inside {

// Returns only where that fails: ENOENT where the image has no such loader,
// ENOEXEC or EACCES where it cannot be used. `amd` and `nvidia` are decimal.
[[nodiscard]] int exec_dynamic_part(int report_fd, const char* amd, const char* nvidia);

}  // namespace gantry::probe::inside
