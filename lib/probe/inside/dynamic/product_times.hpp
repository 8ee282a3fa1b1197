// How often the product is computed, and what its times come to.
#pragma once

#include <cstdint>

namespace gantry::probe::inside {

inline constexpr unsigned kMaxProducts = 64;

// Clocks of an idle GPU need some time to ramp up.
inline constexpr unsigned kWarmUpMs = 50;
inline constexpr unsigned kMaxWarmUpProducts = 16;

[[nodiscard]] std::uint64_t now_ns();  // CLOCK_MONOTONIC
void sleep_us(unsigned microseconds);

// Products that fit the budget, by the clock of the last warm-up: at least two,
// since one may be the lucky or the unlucky one.
[[nodiscard]] unsigned products_for(unsigned budget_ms, std::uint64_t product_ns);

// Between two looks at a GPU that computes. Rarely, so that the process uses
// next to no processor time: that is what proves that no CPU did the work.
[[nodiscard]] unsigned poll_interval_us(std::uint64_t product_ns);

struct BestAndMedian {
    std::uint64_t best_ns, median_ns;
};
[[nodiscard]] BestAndMedian best_and_median(std::uint64_t* times_ns, unsigned count);  // sorts them

}  // namespace gantry::probe::inside
