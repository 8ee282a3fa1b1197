// gantry-probe as a process to be started: its text and its command line.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "probe/expectation.hpp"
#include "probe/expected_sums.hpp"

namespace gantry::probe {

// The program in a sealed memory file, so that nothing of the host need be seen
// in the container. Error: ProbeMissing.
[[nodiscard]] Result<UniqueFd> load_program(const std::string& path);

// argv, for a process that has the program as descriptor 3, the report as 4 and
// the challenges as 5 (Conversation::passed()).
[[nodiscard]] std::vector<std::string> check_arguments(const Expectation& expectation,
                                                       const MatrixSeeds& seeds);
inline constexpr const char* kProgram = "/proc/self/fd/3";

}  // namespace gantry::probe
