#pragma once
// The check as the probe does it, on whatever runs the kernels: fill twice, poison,
// product, rowdot; and what it has to come to.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fakes/ptx/ptx.h"
#include "probe/kernels/gemm_data.hpp"

namespace gantry::probe::test {

struct Seeds {
    std::uint32_t a, b;
    std::uint64_t r;
};

inline constexpr Seeds kSeeds = {0x12345678, 0x9abcdef1, 0x0123456789abcdef};

// Runs one kernel; empty, or what was wrong.
using Launch = std::function<std::string(const char* kernel, unsigned grid_x, unsigned grid_y,
                                         const std::vector<void*>& arguments)>;

// Matrices in "device" memory, no better aligned than the kernels may ask for, and
// at addresses with many bits set: sums of addresses have carries, and
// the same ones in every run.
class Device {
public:
    explicit Device(std::uint32_t size);

    std::string fill(const Launch& launch, Seeds seeds);
    std::string poison(const Launch& launch);
    std::string product(const Launch& launch);
    std::string rowdot(const Launch& launch, std::uint64_t seed);

    // All of it in turn.
    std::string check(const Launch& launch, Seeds seeds);

    // What a kernel may touch.
    std::vector<ptx_range> ranges() const;

    std::uint32_t n;

private:
    std::unique_ptr<void, void (*)(void*)> storage_;

public:
    float *a, *b, *c;
    std::span<RowSum> rows;
};

// s = A (B r) modulo 2^64, from the hashes alone.
std::vector<std::uint64_t> expected_dots(std::uint32_t n, Seeds seeds);

// Rows whose sum is not the expected one, or that hold a value that is bad.
unsigned bad_rows(const Device& device, const std::vector<std::uint64_t>& expected);

// C by the plain triple loop, in whole numbers.
std::vector<float> plain_product(std::uint32_t n, Seeds seeds);

// rowdot's answer for any C, computed on the host.
RowSum plain_rowdot(const float* row, std::uint32_t n, std::uint64_t seed);

// The kernels on the host, and the embedded PTX in the interpreter.
Launch simulated();
Launch interpreted(const ptx_module& module, const Device& device, std::uint64_t most_steps);

}  // namespace gantry::probe::test
