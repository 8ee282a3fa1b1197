// The right answer to a challenge, from the seeds alone: s = A (B r) modulo 2^64
// (Freivalds' check). The launcher computes it itself, so that neither the GPU's
// own filling and summing nor the program in the container is believed.
#pragma once

#include <cstdint>
#include <vector>

namespace gantry::probe {

struct MatrixSeeds {
    std::uint32_t size = 0;  // n, at most kMaxSize
    std::uint32_t a = 0, b = 0;
};

// Row i is sum over j of C[i][j] * mix64(challenge + j), C = A B. A wrong row gives
// the right sum with a chance of 2^-39 at most: its difference, of at most 2^25 in
// each place, would have to be a multiple of 2^64 when weighted by the challenge.
[[nodiscard]] std::vector<std::uint64_t> expected_sums(const MatrixSeeds& seeds,
                                                       std::uint64_t challenge);

}  // namespace gantry::probe
