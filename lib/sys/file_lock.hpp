// Locks that go with the process that holds them, however it ends.
#pragma once

#include <chrono>
#include <string>

#include "base/unique_fd.hpp"

namespace gantry::sys {

// Makes the file where it is missing and locks it for this process alone, until
// the descriptor is closed. Empty where the deadline passes before (EWOULDBLOCK)
// or the file cannot be opened (errno).
[[nodiscard]] UniqueFd lock_file(const std::string& path,
                                 std::chrono::steady_clock::time_point deadline);

}  // namespace gantry::sys
