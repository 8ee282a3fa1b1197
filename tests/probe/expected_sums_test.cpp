// The launcher's own answer against the plain product.
#include "catch.hpp"
#include "probe/expected_sums.hpp"
#include "probe/kernels/gemm_data.hpp"

using namespace gantry::probe;

namespace {

// A is stored by columns, B by rows; C[i][j] = sum over k of A[i][k] * B[k][j].
std::vector<std::uint64_t> plain_sums(const MatrixSeeds& seeds, std::uint64_t challenge) {
    const std::uint32_t n = seeds.size;
    std::vector<std::uint64_t> sums(n);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j) {
            std::int64_t value = 0;
            for (std::uint32_t k = 0; k < n; ++k)
                value += std::int64_t{elem(k * n + i, seeds.a)} * elem(k * n + j, seeds.b);
            sums[i] += static_cast<std::uint64_t>(value) * mix64(challenge + j);
        }
    return sums;
}

}  // namespace

TEST_CASE("the expected sums are those of the plain product, row by row") {
    for (const std::uint32_t size : {1U, 3U, 128U, 200U}) {
        INFO(size);
        const MatrixSeeds seeds{size, 7, 0xFFFFFFF0};
        CHECK(expected_sums(seeds, 99) == plain_sums(seeds, 99));
    }
}

TEST_CASE("every seed changes the expected sums") {
    const auto sums = expected_sums({128, 1, 2}, 3);
    CHECK(expected_sums({128, 9, 2}, 3) != sums);
    CHECK(expected_sums({128, 1, 9}, 3) != sums);
    CHECK(expected_sums({128, 1, 2}, 9) != sums);
}
