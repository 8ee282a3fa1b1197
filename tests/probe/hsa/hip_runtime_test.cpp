// AMD's own libamdhip64 on its own libhsa-runtime64, on the fake of what is below.
#include "amd_check.hpp"
#include "catch.hpp"
#include "program/must_work.hpp"

using namespace gantry::probe;

namespace {

bool no_runtime() {
#ifdef GANTRY_WITH_HSAKMT
    return not_here(!installed("libamdhip64.so.5").empty(), "libamdhip64.so.5 is not installed");
#else
    return not_here(false, "built without libhsakmt-dev and libhsa-runtime-dev");
#endif
}

AmdCheck check(const std::string& orders, unsigned gpus = 1, const std::string& granted = "") {
    ProbeRun run;
    run.amd = gpus;
    run.amd_gpus = granted;
    run.size = kSize;
    run.rounds = 2;
    run.amd_runtime = "hip";
    return check_amd(run, GANTRY_FAKES "/hsakmt", orders);
}

}  // namespace

TEST_CASE("HIP: the product is right to the bit") {
    if (no_runtime()) return;
    const std::string target = GENERATE(as<std::string>{}, "gfx90a", "gfx1030");
    const AmdCheck done = check("gfx=" + target);
    CHECK(done.right());
    CHECK(done.amd.path == installed("libamdhip64.so.5"));
    CHECK(done.gpu().target == target);
    CHECK(done.gpu().pci == "0000:03:00.0");
    CHECK(done.gpu().total_bytes == 1ULL << 33);
    CHECK(done.gpu().units_seen == 16);
}

TEST_CASE("HIP: every GPU is computed on that was granted") {
    if (no_runtime()) return;
    const AmdCheck done = check("count=2", 2);
    CHECK(done.right());
    REQUIRE(done.amd.gpus.size() == 2);
    CHECK(done.amd.gpus[1].pci == "0000:04:00.0");
    const AmdCheck one = check("count=2", 1, "0000:04:00.0");
    CHECK(one.right());
    CHECK(one.amd.gpus.size() == 1);
    CHECK(one.gpu().index == 1);
}

TEST_CASE("HIP: a wrong product comes back as one") {
    if (no_runtime()) return;
    const std::string kind = GENERATE(as<std::string>{}, "more", "nan", "stale");
    const AmdCheck done = check("product=" + kind);
    CHECK(done.gpu().done);
    CHECK_FALSE(done.right());
}

TEST_CASE("HIP: a driver that cannot be opened") {
    if (no_runtime()) return;
    const AmdCheck done = check("hsaKmtOpenKFD=20");
    CHECK(done.ended);
    CHECK(done.amd.failed.call == "hipInit");
    CHECK(done.amd.failed.code == 101);  // hipErrorInvalidDevice
}
