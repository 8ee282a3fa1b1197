#pragma once
// The host's copy of what kernels.c computes with: the same hashes, sizes and
// records. Values only: for the judge, for the program in the container (which
// links no C++ library) and for the tests.
#include <cstdint>

namespace gantry::probe {

inline constexpr std::uint32_t kTile = 128;   // n is a multiple of it; grid n/kTile x n/kTile
inline constexpr std::uint32_t kBlock = 256;  // work-items of a group, in every kernel
inline constexpr std::uint32_t kMaxSize = 4096;
inline constexpr std::int32_t kLeastElement = -64;
inline constexpr std::int32_t kMostElement = 63;

// Every partial sum of a product is an integer that fp32 holds exactly, in any
// order of adding, fused or not: the product has one right answer, to the bit.
static_assert(std::uint64_t{kMaxSize} * (-kLeastElement) * (-kLeastElement) <= 1u << 24);
static_assert(kMostElement <= -kLeastElement);

// "lowbias32" of C. Wellons, a bijection of the 32-bit words.
constexpr std::uint32_t mix32(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// Element `index` of the matrix that gantry_fill makes of `seed`.
constexpr std::int32_t elem(std::uint32_t index, std::uint32_t seed) {
    return static_cast<std::int32_t>(mix32(index ^ seed) >> 25) + kLeastElement;
}

// "SplitMix64" of G. Steele and S. Vigna. r_j of the challenge is mix64(seed + j).
constexpr std::uint64_t mix64(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// One row of gantry_rowdot's answer.
struct RowSum {
    std::uint64_t dot;  // sum over j of C[row][j] * r_j, modulo 2^64
    std::uint64_t bad;  // values that are no integer of at most 2^24: NaN, infinity, fractions
};

// One group's record of gantry_evidence.
struct Evidence {
    std::uint64_t t0, t1;  // reference clock: nanoseconds on NVIDIA, ticks of it on AMD
    std::uint64_t c0, c1;  // cycles of the unit
    std::uint32_t unit;    // %smid on NVIDIA; HW_ID or HW_ID1 on AMD
    std::uint32_t group;   // its number in the grid; bit 31 is noise
};

static_assert(sizeof(RowSum) == 16 && sizeof(Evidence) == 40);

}  // namespace gantry::probe
