#include "app/gpu_turns.hpp"

#include <thread>

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;
using namespace std::chrono_literals;

namespace {

probe::Expectation of(std::vector<std::string> addresses) {
    probe::Expectation expectation;
    for (const std::string& address : addresses) expectation.amd.push_back({"x", address});
    return expectation;
}

}  // namespace

TEST_CASE("a GPU is checked by one container at a time, another GPU meanwhile") {
    test::TempFolder folder;
    auto first = std::make_unique<GpuTurns>(
        GpuTurns::take(folder / "", of({"0000:03:00.0", "0000:03:00.0"}), 0ms));
    CHECK(first->complete());  // a card's partitions do not wait for each other
    CHECK_FALSE(GpuTurns::take(folder / "", of({"0000:03:00.0"}), 30ms).complete());
    CHECK(GpuTurns::take(folder / "", of({"0000:04:00.0"}), 0ms).complete());
    first.reset();
    CHECK(GpuTurns::take(folder / "", of({"0000:03:00.0"}), 0ms).complete());
}

TEST_CASE("a turn comes when the one before it ends") {
    test::TempFolder folder;
    auto first = std::make_unique<GpuTurns>(GpuTurns::take(folder / "", of({"0000:03:00.0"}), 0ms));
    std::thread ending([&] {
        std::this_thread::sleep_for(50ms);
        first.reset();
    });
    CHECK(GpuTurns::take(folder / "", of({"0000:03:00.0"}), 10s).complete());
    ending.join();
}

TEST_CASE("without a folder for the locks, or with nothing to compute, nobody waits") {
    CHECK_FALSE(GpuTurns::take("/proc/nowhere", of({"0000:03:00.0"}), 10s).complete());
    CHECK(GpuTurns::take("/proc/nowhere", of({}), 10s).complete());
    probe::Expectation busy = of({"0000:03:00.0"});
    busy.amd[0].in_use = "1 process";
    CHECK(GpuTurns::take("/proc/nowhere", busy, 10s).complete());
}
