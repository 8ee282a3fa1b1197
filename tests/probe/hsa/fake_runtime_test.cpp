// The fake libhsa-runtime64, which stands in for the real one inside images.
#include "amd_check.hpp"
#include "catch.hpp"

using namespace gantry::probe;

namespace {

AmdCheck check(const std::string& orders) { return check_amd(GANTRY_FAKES, "count=1," + orders); }

}  // namespace

TEST_CASE("the fake runtime computes") {
    ProbeRun run;
    run.amd = 2;
    run.size = kSize;
    run.rounds = 2;
    const AmdCheck done = check_amd(run, GANTRY_FAKES, "count=2,pci=0000:c3:00.0;0001:44:00.1");
    CHECK(done.right());
    CHECK(done.amd.fake);
    REQUIRE(done.amd.gpus.size() == 2);
    CHECK(done.amd.gpus[0].pci == "0000:c3:00.0");
    CHECK(done.amd.gpus[1].pci == "0001:44:00.1");
    CHECK(done.gpu().free_bytes == 24576ULL << 20);
    CHECK(done.gpu().total_bytes == 24576ULL << 20);
    CHECK(done.gpu().rounds[1].best_ns == 2ULL * kSize * kSize * kSize / 2000);
}

TEST_CASE("the code object is the first that fits what the agent lists") {
    const AmdCheck generic = check("gfx=gfx1159;gfx11-generic");
    CHECK(generic.right());
    CHECK(generic.gpu().target == "gfx1159");
    // Runtimes before ROCm 6.4 take no generic one, which are of version 6.
    CHECK(check("gfx=gfx1159;gfx11-generic,objects=5").gpu().failed.code == 0x1010);
    const AmdCheck own = check("gfx=gfx942:sramecc+:xnack-;gfx9-4-generic,objects=4");
    CHECK(own.right());
    CHECK(own.gpu().target == "gfx942");
    const AmdCheck none = check("gfx=gfx1159;gfx13-generic");
    CHECK(none.gpu().failed.code == -2);
    CHECK(none.gpu().failed.name == "gfx1159");
}

TEST_CASE("a GPU whose memory is in use is left alone") {
    const AmdCheck busy = check("free=2047");
    CHECK(busy.ended);
    CHECK(busy.gpu().busy == "memory");
    CHECK(busy.gpu().rounds.empty());
    CHECK(busy.gpu().failed.call.empty());
    CHECK(check("free=2048").right());
    CHECK(check("free=512,memory=1024").right());  // a small one is judged by its size
    CHECK(check("free=511,memory=1024").gpu().busy == "memory");
    CHECK(check("free=-1").right());  // a runtime that does not know
}

TEST_CASE("a GPU that fails does not keep the others from being checked") {
    ProbeRun run;
    run.amd = 2;
    run.size = kSize;
    const AmdCheck done = check_amd(run, GANTRY_FAKES, "count=2,gfx=gfx1030,fault=1");
    CHECK(done.ended);
    REQUIRE(done.amd.gpus.size() == 2);
    for (const GpuReport& gpu : done.amd.gpus) CHECK(gpu.failed.code == 43);
}

TEST_CASE("a call that fails within another one is told as that one") {
    const auto call = [](const char* orders) { return check(orders).gpu().failed.call; };
    CHECK(call("hsa_isa_get_info_alt=0x1008") == "hsa_agent_iterate_isas");
    CHECK(call("hsa_amd_memory_pool_get_info=0x1008") == "hsa_amd_agent_iterate_memory_pools");
    CHECK(call("hsa_amd_profiling_set_profiler_enabled=0x1008") == "hsa_queue_create");
}

TEST_CASE("each call that fails is named with its code") {
    const std::string call = GENERATE(
        as<std::string>{}, "hsa_agent_iterate_isas", "hsa_amd_agent_iterate_memory_pools",
        "hsa_queue_create", "hsa_system_get_info", "hsa_signal_create",
        "hsa_code_object_reader_create_from_memory", "hsa_executable_create_alt",
        "hsa_executable_load_agent_code_object", "hsa_executable_freeze",
        "hsa_executable_get_symbol_by_name", "hsa_executable_symbol_get_info",
        "hsa_amd_memory_pool_allocate", "hsa_amd_agents_allow_access",
        "hsa_amd_profiling_get_dispatch_time");
    const AmdCheck done = check(call + "=0x1008");
    CHECK(done.ended);
    REQUIRE(done.amd.gpus.size() == 1);
    CHECK(done.gpu().failed.call == call);
    CHECK(done.gpu().failed.code == 0x1008);
    CHECK(done.gpu().failed.name == "HSA_STATUS_ERROR_OUT_OF_RESOURCES");
    CHECK_FALSE(done.gpu().done);
}

TEST_CASE("an error of the queue is told as one") {
    const AmdCheck done = check("queue-error=41");
    CHECK(done.gpu().failed.call == "queue");
    CHECK(done.gpu().failed.code == 41);
}
