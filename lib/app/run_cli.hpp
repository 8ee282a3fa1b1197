// gantryctl: what a person asks of Gantry.
#pragma once

#include <string>
#include <vector>

namespace gantry::app {

// Returns the exit status: 0 done, 1 the answer is a refusal or an error,
// 2 called wrongly.
[[nodiscard]] int run_cli(int argc, char** argv, char** environment);

}  // namespace gantry::app
