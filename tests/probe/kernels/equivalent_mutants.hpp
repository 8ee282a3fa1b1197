#pragma once
// Mutants that compute the same for all that the check gives them.
#include "probe/kernels/mutation.hpp"

namespace gantry::probe::test {

// Why this one does; null where nothing is known of it.
const char* why_equivalent(const Mutant& mutant);

}  // namespace gantry::probe::test
