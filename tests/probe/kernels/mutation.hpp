#pragma once
// Changes of one instruction in PTX text, as a bug in a compiler, a driver's JIT
// or a chip might make them.
#include <random>
#include <string>
#include <vector>

namespace gantry::probe::test {

struct Mutant {
    std::string kernel, before, after;  // the instruction; after is empty where it is left out
    std::string text;                   // the whole module
};

// As many different ones as asked for, of the named kernels, the same for the same seed.
std::vector<Mutant> make_mutants(const std::string& ptx, const std::vector<std::string>& kernels,
                                 unsigned count, std::mt19937::result_type seed);

}  // namespace gantry::probe::test
