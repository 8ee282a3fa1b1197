#include "probe/expected_sums.hpp"

#include "probe/kernels/gemm_data.hpp"

namespace gantry::probe {
namespace {

// Two passes over n * n hashes. The inner loops have no branch and no carried
// dependency but the sum, which is what the vector units need.
[[gnu::always_inline]] inline void compute(const MatrixSeeds& seeds, const std::uint64_t* weights,
                                           std::uint64_t* sums) {
    const std::uint32_t n = seeds.size;
    for (std::uint32_t k = 0; k < n; ++k) {
        std::uint64_t weighted = 0;
        for (std::uint32_t j = 0; j < n; ++j)
            weighted += static_cast<std::uint64_t>(std::int64_t{elem(k * n + j, seeds.b)}) *
                        weights[j];
        // A is stored by columns, so row k of the buffer holds column k.
        for (std::uint32_t i = 0; i < n; ++i)
            sums[i] += static_cast<std::uint64_t>(std::int64_t{elem(k * n + i, seeds.a)}) *
                       weighted;
    }
}

using Compute = void (*)(const MatrixSeeds&, const std::uint64_t*, std::uint64_t*);

void compute_anywhere(const MatrixSeeds& seeds, const std::uint64_t* weights,
                      std::uint64_t* sums) {
    compute(seeds, weights, sums);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void compute_avx2(const MatrixSeeds& seeds, const std::uint64_t* weights,
                                          std::uint64_t* sums) {
    compute(seeds, weights, sums);
}

[[gnu::target("avx512f,avx512dq,avx512vl")]] void compute_avx512(const MatrixSeeds& seeds,
                                                                 const std::uint64_t* weights,
                                                                 std::uint64_t* sums) {
    compute(seeds, weights, sums);
}

Compute best_compute() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return compute_avx512;
    return __builtin_cpu_supports("avx2") ? compute_avx2 : compute_anywhere;
}
#else
Compute best_compute() { return compute_anywhere; }
#endif

}  // namespace

std::vector<std::uint64_t> expected_sums(const MatrixSeeds& seeds, std::uint64_t challenge) {
    std::vector<std::uint64_t> weights(seeds.size), sums(seeds.size);
    for (std::uint32_t j = 0; j < seeds.size; ++j) weights[j] = mix64(challenge + j);
    best_compute()(seeds, weights.data(), sums.data());
    return sums;
}

}  // namespace gantry::probe
