#include "probe/inside/dynamic/product_times.hpp"

#include <ctime>

namespace gantry::probe::inside {

// clock_gettime is in libc.so.6 since glibc 2.17, which is the floor.
std::uint64_t now_ns() {
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_us(unsigned microseconds) {
    const timespec pause = {static_cast<time_t>(microseconds / 1000000U),
                            static_cast<long>(microseconds % 1000000U) * 1000};
    ::nanosleep(&pause, nullptr);
}

unsigned products_for(unsigned budget_ms, std::uint64_t product_ns) {
    const std::uint64_t fitting = budget_ms * 1000000ULL / (product_ns > 0 ? product_ns : 1);
    if (fitting < 2) return 2;
    return fitting < kMaxProducts ? static_cast<unsigned>(fitting) : kMaxProducts;
}

unsigned poll_interval_us(std::uint64_t product_ns) {
    constexpr std::uint64_t kLeast = 500, kMost = 20000;
    const std::uint64_t tenth = product_ns / 10000;
    return static_cast<unsigned>(tenth < kLeast ? kLeast : tenth < kMost ? tenth : kMost);
}

BestAndMedian best_and_median(std::uint64_t* times_ns, unsigned count) {
    for (unsigned i = 1; i < count; ++i)
        for (unsigned j = i; j > 0 && times_ns[j] < times_ns[j - 1]; --j) {
            const std::uint64_t swapped = times_ns[j];
            times_ns[j] = times_ns[j - 1];
            times_ns[j - 1] = swapped;
        }
    return {times_ns[0], times_ns[count / 2]};
}

}  // namespace gantry::probe::inside
