#include "probe/kernels/check_run.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "simulation.h"

namespace gantry::probe::test {
namespace {

constexpr std::size_t kAlignment = 1 << 20, kOffset = 0xffff0;

unsigned groups(std::uint32_t count) { return (count + kBlock - 1) / kBlock; }

template <typename T>
ptx_range range_of(const T* begin, std::size_t count) {
    return {reinterpret_cast<std::uintptr_t>(begin),
            reinterpret_cast<std::uintptr_t>(begin + count)};
}

}  // namespace

Device::Device(std::uint32_t size) : n(size), storage_(nullptr, std::free) {
    const std::size_t count = std::size_t{n} * n;
    const std::size_t bytes = kOffset + 3 * count * sizeof(float) + n * sizeof(RowSum);
    storage_.reset(
        std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
    if (!storage_) std::abort();
    std::memset(storage_.get(), 0, bytes);
    a = reinterpret_cast<float*>(static_cast<char*>(storage_.get()) + kOffset);
    b = a + count;
    c = b + count;
    rows = {reinterpret_cast<RowSum*>(c + count), n};
}

std::string Device::fill(const Launch& launch, Seeds seeds) {
    std::uint32_t count = n * n;
    std::string fault = launch("gantry_fill", groups(count), 1, {&a, &count, &seeds.a});
    if (!fault.empty()) return fault;
    return launch("gantry_fill", groups(count), 1, {&b, &count, &seeds.b});
}

std::string Device::poison(const Launch& launch) {
    std::uint32_t count = n * n;
    return launch("gantry_poison", groups(count), 1, {&c, &count});
}

std::string Device::product(const Launch& launch) {
    return launch("gantry_sgemm", n / kTile, n / kTile, {&a, &b, &c, &n});
}

std::string Device::rowdot(const Launch& launch, std::uint64_t seed) {
    for (RowSum& row : rows) row = {~0ull, ~0ull};
    RowSum* out = rows.data();
    return launch("gantry_rowdot", n, 1, {&c, &out, &seed, &n});
}

std::string Device::check(const Launch& launch, Seeds seeds) {
    std::string fault = fill(launch, seeds);
    if (fault.empty()) fault = poison(launch);
    if (fault.empty()) fault = product(launch);
    return fault.empty() ? rowdot(launch, seeds.r) : fault;
}

std::vector<ptx_range> Device::ranges() const {
    const std::size_t count = std::size_t{n} * n;
    return {range_of(a, count), range_of(b, count), range_of(c, count),
            range_of(rows.data(), rows.size())};
}

std::vector<std::uint64_t> expected_dots(std::uint32_t n, Seeds seeds) {
    std::vector<std::uint64_t> dots(n);
    for (std::uint32_t k = 0; k < n; ++k) {
        std::uint64_t y = 0;
        for (std::uint32_t j = 0; j < n; ++j)
            y += static_cast<std::uint64_t>(std::int64_t{elem(k * n + j, seeds.b)}) *
                 mix64(seeds.r + j);
        for (std::uint32_t i = 0; i < n; ++i)
            dots[i] += static_cast<std::uint64_t>(std::int64_t{elem(k * n + i, seeds.a)}) * y;
    }
    return dots;
}

unsigned bad_rows(const Device& device, const std::vector<std::uint64_t>& expected) {
    unsigned bad = 0;
    for (std::uint32_t i = 0; i < device.n; ++i)
        bad += device.rows[i].dot != expected[i] || device.rows[i].bad != 0;
    return bad;
}

std::vector<float> plain_product(std::uint32_t n, Seeds seeds) {
    std::vector<std::int32_t> sums(std::size_t{n} * n);
    for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::int32_t left = elem(k * n + i, seeds.a);
            for (std::uint32_t j = 0; j < n; ++j)
                sums[std::size_t{i} * n + j] += left * elem(k * n + j, seeds.b);
        }
    return {sums.begin(), sums.end()};
}

RowSum plain_rowdot(const float* row, std::uint32_t n, std::uint64_t seed) {
    RowSum sum = {0, 0};
    for (std::uint32_t j = 0; j < n; ++j) {
        const double value = row[j];
        if (!(std::fabs(value) <= 16777216.0)) {
            ++sum.bad;
            continue;
        }
        if (value != std::trunc(value)) ++sum.bad;
        sum.dot += static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) * mix64(seed + j);
    }
    return sum;
}

Launch simulated() {
    return [](const char* name, unsigned grid_x, unsigned grid_y,
              const std::vector<void*>& arguments) -> std::string {
        const simulated_kernel kernel = simulated_find(name);
        if (!kernel) return "no such kernel";
        return simulate(kernel, arguments.data(), grid_x, grid_y) == 0
                   ? ""
                   : "a barrier that not every work-item reaches";
    };
}

Launch interpreted(const ptx_module& module, const Device& device, std::uint64_t most_steps) {
    return [&module, ranges = device.ranges(), most_steps](
               const char* name, unsigned grid_x, unsigned grid_y,
               const std::vector<void*>& arguments) -> std::string {
        const ptx_kernel* kernel = ptx_find(&module, name);
        if (!kernel) return "no such kernel";
        const ptx_launch launch = {.grid_x = grid_x,
                                   .grid_y = grid_y,
                                   .block = kBlock,
                                   .arguments = arguments.data(),
                                   .memory = ranges.data(),
                                   .ranges = static_cast<unsigned>(ranges.size()),
                                   .most_steps = most_steps};
        char log[256] = "";
        return ptx_run(kernel, &launch, log, sizeof log) == PTX_DONE ? "" : log;
    };
}

}  // namespace gantry::probe::test
