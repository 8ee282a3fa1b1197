#pragma once
#include "probe/kernels/mutation.hpp"
namespace gantry::probe::test {
inline const char* why_equivalent(const Mutant&) { return nullptr; }
}
