// The launcher's challenges: the seed of each check, told only once the product
// that it is for exists.
#pragma once

#include <cstdint>

#include "probe/inside/dynamic/task.hpp"

namespace gantry::probe::inside {

// Reads `wanted` challenges of this vendor and round, of whatever GPU, into
// seeds[GPU index]. False where the launcher is gone or says something else.
[[nodiscard]] bool read_challenges(int challenge_fd, const char* vendor, unsigned round,
                                   unsigned wanted, std::uint64_t (&seeds)[kMaxGpus]);

}  // namespace gantry::probe::inside
