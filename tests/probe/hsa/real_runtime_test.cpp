// AMD's own libhsa-runtime64, on a fake of the layer below it: what is tested is our
// use of HSA, and whether the runtime takes the compiled kernels.
#include "amd_check.hpp"
#include "catch.hpp"
#include "program/must_work.hpp"

using namespace gantry::probe;

namespace {

constexpr char kFolder[] = GANTRY_FAKES "/hsakmt";

bool no_runtime() {
#ifdef GANTRY_WITH_HSAKMT
    const std::string path = installed("libhsa-runtime64.so.1");
    return not_here(!path.empty(), "libhsa-runtime64.so.1 is not installed");
#else
    return not_here(false, "built without libhsakmt-dev and libhsa-runtime-dev");
#endif
}

AmdCheck check(const std::string& orders) { return check_amd(kFolder, orders); }

}  // namespace

TEST_CASE("the product is right to the bit on named instruction sets") {
    if (no_runtime()) return;
    const std::string target = GENERATE(as<std::string>{}, "gfx900", "gfx90a", "gfx1030");
    ProbeRun run;
    run.amd = 1;
    run.size = kSize;
    run.rounds = 2;
    const AmdCheck done = check_amd(run, kFolder, "gfx=" + target);
    CHECK(done.right());
    REQUIRE(done.result.products.size() == 2);
    CHECK(done.amd.fake);
    CHECK(done.amd.path == installed("libhsa-runtime64.so.1"));
    CHECK(done.gpu().target == target);
    CHECK(done.gpu().pci == "0000:03:00.0");
    CHECK(done.gpu().name == "Fake Radeon");
    CHECK(done.gpu().units == 16);
    CHECK(done.gpu().rounds[0].products >= 2);
    CHECK(done.gpu().rounds[0].best_ns > 0);
    CHECK(done.gpu().units_seen == 16);
    CHECK(done.gpu().steady_groups == done.gpu().groups);
}

TEST_CASE("all granted GPUs are computed on, and no other") {
    if (no_runtime()) return;
    ProbeRun run;
    run.amd = 3;
    run.size = kSize;
    CHECK(check_amd(run, kFolder, "count=3").right());
    run.amd_gpus = "0000:04:00.0,0000:05:00.0";
    const AmdCheck two = check_amd(run, kFolder, "count=3");
    CHECK(two.right());
    CHECK(two.amd.devices == 3U);
    REQUIRE(two.amd.gpus.size() == 2);
    CHECK(two.amd.gpus[0].index == 1);
    CHECK(two.amd.gpus[1].pci == "0000:05:00.0");
}

TEST_CASE("a wrong product comes back as one") {
    if (no_runtime()) return;
    const std::string kind = GENERATE(as<std::string>{}, "bit", "more", "nan", "row", "skipped",
                                      "stale");
    const AmdCheck done = check("product=" + kind);
    CHECK(done.gpu().done);
    CHECK_FALSE(done.right());
}

TEST_CASE("an overridden instruction set is the one that counts") {
    if (no_runtime()) return;
    ProbeRun run;
    run.amd = 1;
    run.size = kSize;
    // The layer below the runtime replaces the number that the kernel tells, as the
    // fake does; a code object for another set would be refused.
    const AmdCheck done = check_amd(run, kFolder, "gfx=gfx1032");
    CHECK(done.right());
    CHECK(done.gpu().target == "gfx1032");
}

TEST_CASE("an instruction set that nothing is compiled for") {
    if (no_runtime()) return;
    const AmdCheck done = check("gfx=gfx801");
    CHECK(done.ended);
    CHECK(done.gpu().failed.call == "hsa_executable_load_agent_code_object");
    CHECK(done.gpu().failed.code == -2);
    CHECK(done.gpu().failed.name == "gfx801");
}

TEST_CASE("what the runtime refuses comes back with its code") {
    if (no_runtime()) return;
    struct Row {
        const char* orders;
        const char* call;
        std::int64_t code;
    };
    // 2 and 8 are bits of the packet processor, which the runtime translates.
    const Row row = GENERATE(Row{"queue-error=2", "queue", 0x100D},
                             Row{"queue-error=8", "queue", 0x1010}, Row{"fault=1", "queue", 43},
                             Row{"vram=200000", "hsa_amd_memory_pool_allocate", 0x1008},
                             Row{"hsaKmtCreateQueue=6", "hsa_queue_create", 0x1008});
    const AmdCheck done = check(row.orders);
    CHECK(done.ended);
    CHECK_FALSE(done.gpu().done);
    CHECK(done.gpu().failed.call == row.call);
    CHECK(done.gpu().failed.code == row.code);
    CHECK_FALSE(done.gpu().failed.name.empty());
}

TEST_CASE("a driver that cannot be opened is the runtime's 0x1008") {
    if (no_runtime()) return;
    const AmdCheck done = check("hsaKmtOpenKFD=20");
    CHECK(done.ended);
    CHECK(done.amd.failed.call == "hsa_init");
    CHECK(done.amd.failed.code == 0x1008);
}

TEST_CASE("waiting takes next to no processor time") {
    if (no_runtime()) return;
    const AmdCheck done = check("slow=600");
    REQUIRE(done.right());
    const TimedProducts& products = done.result.products.at(0);
    REQUIRE(products.processor);
    CHECK(products.wall > std::chrono::milliseconds(1200));
    CHECK(*products.processor < products.wall / 3);  // the fake's own computing included
}
