// The computing check through the fake libcuda, which really runs the PTX.
#include "catch.hpp"
#include "probe/report.hpp"
#include "probe/verdict.hpp"
#include "run_probe.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

constexpr unsigned kSize = 128;

ProbeRun computing(const std::string& orders, unsigned gpus = 1) {
    ProbeRun run;
    run.nvidia = gpus;
    run.size = kSize;
    run.environment = {with_fakes(),
                       "GANTRY_FAKE_GPU=count=" + std::to_string(gpus) + "," + orders};
    return run;
}

// As the launcher judges it on a simulated host.
Verdict judged(const ProbeRun& run) {
    const ProbeResult result = run_probe(run);
    Expectation expectation;
    expectation.simulated = true;
    expectation.product.size = run.size;
    expectation.product.rounds = run.rounds;
    for (unsigned i = 0; i < run.nvidia; ++i)
        expectation.nvidia.push_back({"NVIDIA GPU " + std::to_string(i), ""});
    RunOutcome outcome;
    outcome.report_text = result.report;
    outcome.products = result.products;
    outcome.exit_code = result.exit_code;
    INFO(result.report.substr(0, 4000));
    return judge(expectation, outcome);
}

Report report_of(const ProbeRun& run) {
    const auto report = parse_report(run_probe(run).report);
    REQUIRE(report);
    return *report;
}

}  // namespace

TEST_CASE("a right product, by several GPUs and in several rounds") {
    ProbeRun run = computing("name=Fake H100,units=132,sm=90", 3);
    run.rounds = 2;
    const Verdict verdict = judged(run);
    INFO(verdict.summary);
    CHECK(verdict.outcome == Outcome::Simulated);
    CHECK_FALSE(verdict.error);
    REQUIRE(verdict.gpus.size() == 3);
    for (const GpuResult& gpu : verdict.gpus) {
        CHECK(gpu.target == "sm_90");
        CHECK(gpu.units == 132);
        CHECK(gpu.units_seen > 0);
        CHECK(gpu.judged_gflops == Approx(2000).epsilon(0.05));
    }
}

TEST_CASE("every kind of wrong product is found") {
    const std::string kind =
        GENERATE(as<std::string>{}, "bit", "more", "nan", "row", "skipped", "stale");
    INFO(kind);
    CHECK(judged(computing("product=" + kind)).outcome == Outcome::WrongResult);
}

TEST_CASE("what a call answers becomes the verdict of its code") {
    const struct {
        const char* order;
        Outcome outcome;
    } rows[] = {{"cuInit=999", Outcome::Mismatch},
                {"cuDeviceGetCount=100", Outcome::Mismatch},
                {"cuDevicePrimaryCtxRetain=46", Outcome::Busy},
                {"cuDevicePrimaryCtxRetain=2", Outcome::OutOfGpuMemory},
                {"cuModuleLoadDataEx=221", Outcome::Mismatch},
                {"cuModuleLoadDataEx=222", Outcome::Mismatch},
                {"cuModuleGetFunction=500", Outcome::Mismatch},
                {"cuMemAlloc=2", Outcome::OutOfGpuMemory},
                {"cuLaunchKernel=719", Outcome::Fault},
                {"cuEventCreate=2", Outcome::OutOfGpuMemory},
                {"cuEventQuery=700", Outcome::Fault},
                {"cuEventElapsedTime=400", Outcome::Mismatch},
                {"cuCtxSynchronize=702", Outcome::Fault},
                {"cuMemcpyDtoH=214", Outcome::Fault},
                {"cuMemGetInfo=201", Outcome::Mismatch},
                {"cuCtxSetCurrent=201", Outcome::Mismatch},
                {"cuDeviceGetAttribute=101", Outcome::Mismatch},
                {"cuDeviceGetPCIBusId=101", Outcome::Mismatch}};
    for (const auto& row : rows) {
        INFO(row.order);
        const Verdict verdict = judged(computing(row.order));
        CHECK(verdict.outcome == row.outcome);
        const std::string code(std::string(row.order).substr(std::string(row.order).find('=') + 1));
        REQUIRE(verdict.error);
        if (code != "46") CHECK(verdict.error->text().find(" said " + code) != std::string::npos);
    }
}

TEST_CASE("a GPU that is in use, exclusive, or shared through MPS is not computed on") {
    for (const char* order : {"free=2047", "mode=3", "mode=2"}) {
        INFO(order);
        CHECK(judged(computing(order)).outcome == Outcome::Busy);
    }
    CHECK(judged(computing("free=512,memory=1024")).outcome == Outcome::Simulated);
    ProbeRun mps = computing("");
    mps.environment.push_back("CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps");
    CHECK(judged(mps).outcome == Outcome::Busy);
}

TEST_CASE("only granted GPUs are computed on, whatever the case of an address") {
    ProbeRun run = computing("pci=00000000:C3:00.0;0000:44:00.0;0000:45:00.0", 3);
    run.nvidia_gpus = "0000:c3:00.0,0000:45:00.0";
    const Report report = report_of(run);
    CHECK(report.nvidia.devices == 3U);
    REQUIRE(report.nvidia.gpus.size() == 2);
    CHECK(report.nvidia.gpus[0].pci == "0000:c3:00.0");
    CHECK(report.nvidia.gpus[1].pci == "0000:45:00.0");
    CHECK(report.nvidia.gpus[1].index == 2);
    run.nvidia_gpus = "none,none";
    CHECK(report_of(run).nvidia.gpus.empty());
}

TEST_CASE("of partitions at one address as many are computed on as were granted") {
    ProbeRun run = computing("pci=0000:44:00.0;0000:44:00.0;0000:44:00.0", 3);
    run.nvidia_gpus = "0000:44:00.0,0000:44:00.0";
    const Report report = report_of(run);
    REQUIRE(report.nvidia.gpus.size() == 2);
    CHECK(report.nvidia.gpus[0].done);
    CHECK(report.nvidia.gpus[1].done);
}

TEST_CASE("slow by the GPU's own clock, and the cheat that is too fast") {
    CHECK(judged(computing("gflops=90")).outcome == Outcome::Slow);
    CHECK(judged(computing("gflops=1000000000")).outcome == Outcome::Fault);
}

TEST_CASE("a hang in any call of the computing leaves that GPU's stage") {
    const struct {
        const char *call, *stage;
    } rows[] = {{"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain"},
                {"cuModuleLoadDataEx", "cuModuleLoadDataEx"},
                {"cuEventElapsedTime", "gantry_sgemm"},
                {"cuMemcpyDtoH", "gantry_rowdot"}};
    for (const auto& row : rows) {
        INFO(row.call);
        ProbeRun run = computing("hang=" + std::string(row.call));
        run.wait_for = "stage\t" + std::string(row.stage) + "\tnvidia\t0\n";
        const ProbeResult result = run_probe(run);
        CHECK(result.killed);
        const auto report = parse_report(result.report);
        REQUIRE(report);
        CHECK_FALSE(report->ended);
        REQUIRE(report->nvidia.gpus.size() == 1);
        CHECK(report->nvidia.gpus[0].last_stage == row.stage);
    }
}
