// The dynamic part of gantry-probe with the fake vendor libraries.
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "catch.hpp"
#include "probe/report.hpp"
#include "run_probe.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

ProbeRun fakes(unsigned amd, unsigned nvidia, const std::string& orders) {
    ProbeRun run;
    run.amd = amd;
    run.nvidia = nvidia;
    run.environment = {with_fakes(), "GANTRY_FAKE_GPU=" + orders};
    return run;
}

Report report_of(const ProbeResult& result) {
    INFO(result.report);
    const auto report = parse_report(result.report);
    REQUIRE(report);
    return *report;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("GPUs are counted through both fakes, which say what they are") {
    const ProbeResult result = run_probe(fakes(1, 1, "count=3"));
    const Report report = report_of(result);
    CHECK(result.exit_code == 0);
    CHECK(report.ended);
    CHECK(report.loader == true);
    CHECK(report.amd.devices == 3U);
    CHECK(report.nvidia.devices == 3U);
    CHECK(report.amd.fake);
    CHECK(report.nvidia.fake);
    CHECK(report.amd.path == GANTRY_FAKES "/libhsa-runtime64.so.1");
    CHECK(report.nvidia.path == GANTRY_FAKES "/libcuda.so.1");
    CHECK(std::ranges::count(report.notes, "CUDA of the driver: 12.2") == 1);
}

TEST_CASE("a vendor that is not asked is not loaded") {
    const Report amd = report_of(run_probe(fakes(1, 0, "count=1,crash=cuInit")));
    CHECK(amd.ended);
    CHECK(amd.nvidia.path.empty());
    const Report nvidia = report_of(run_probe(fakes(0, 1, "count=1,crash=hsa_init")));
    CHECK(nvidia.ended);
    CHECK(nvidia.amd.path.empty());
}

TEST_CASE("no GPU is a count, not a failure of the library") {
    const Report report = report_of(run_probe(fakes(1, 1, "count=0")));
    CHECK(report.amd.devices == 0U);
    CHECK(report.nvidia.devices == 0U);
    CHECK(report.amd.failed.call.empty());
}

TEST_CASE("a failed call comes back with its code and the library's word") {
    struct Row {
        const char* orders;
        bool amd;
        const char* call;
        std::int64_t code;
        const char* name;
    };
    const Row row = GENERATE(
        Row{"cuInit=100", false, "cuInit", 100, "CUDA_ERROR_NO_DEVICE"},
        Row{"cuInit=999", false, "cuInit", 999, "CUDA_ERROR_OF_THE_FAKE"},
        Row{"cuInit=-5", false, "cuInit", -5, "CUDA_ERROR_OF_THE_FAKE"},
        Row{"cuDeviceGetCount=802", false, "cuDeviceGetCount", 802, "CUDA_ERROR_OF_THE_FAKE"},
        Row{"hsa_init=0x1008", true, "hsa_init", 0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
        Row{"hsa_iterate_agents=4096", true, "hsa_iterate_agents", 0x1000,
            "HSA_STATUS_OF_THE_FAKE"},
        Row{"hsa_agent_get_info=0x1004", true, "hsa_iterate_agents", 0x1004,
            "HSA_STATUS_OF_THE_FAKE"},
        Row{"hsa_shut_down=0x100b", true, "hsa_shut_down", 0x100B, "HSA_STATUS_OF_THE_FAKE"});
    const Report report = report_of(run_probe(fakes(row.amd, !row.amd, row.orders)));
    const LibraryReport& library = row.amd ? report.amd : report.nvidia;
    CHECK(report.ended);
    CHECK(library.failed.call == row.call);
    CHECK(library.failed.code == row.code);
    CHECK(library.failed.name == row.name);
}

TEST_CASE("a crash leaves the stage as the last word") {
    const std::string call = GENERATE(as<std::string>{}, "cuInit", "cuDeviceGetCount", "hsa_init",
                                      "hsa_iterate_agents", "hsa_shut_down");
    const bool amd = call.starts_with("hsa");
    const ProbeResult result = run_probe(fakes(amd, !amd, "count=1,crash=" + call));
    const Report report = report_of(result);
    CHECK(result.exit_code == 128 + SIGSEGV);
    CHECK_FALSE(report.ended);
    CHECK(report.last_stage == call);
    CHECK_FALSE((amd ? report.amd : report.nvidia).path.empty());
}

TEST_CASE("a hang leaves the stage as the last word and can be killed") {
    const std::string call = GENERATE(as<std::string>{}, "cuInit", "cuDeviceGetCount", "hsa_init",
                                      "hsa_iterate_agents", "hsa_shut_down");
    const bool amd = call.starts_with("hsa");
    ProbeRun run = fakes(amd, !amd, "count=1,hang=" + call);
    run.wait_for = "stage\t" + call + "\n";
    const ProbeResult result = run_probe(run);
    CHECK(result.killed);
    CHECK(result.exit_code == 128 + SIGKILL);
    const Report report = report_of(result);
    CHECK_FALSE(report.ended);
    CHECK(report.last_stage == call);
}

TEST_CASE("the check's own deadline ends it where a library hangs") {
    // By a handler: the first process of a pid namespace gets no signal whose
    // action is the default one.
    ProbeRun run = fakes(1, 0, "count=1,hang=hsa_init");
    run.wait_for = "stage\thsa_init\n";
    run.inspect = [](pid_t pid) {
        ::kill(pid, SIGALRM);
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    };
    CHECK(run_probe(run).exit_code == 124);
}

TEST_CASE("no library: the loader's words") {
    ProbeRun run;
    run.amd = run.nvidia = 1;
    run.environment = {"LD_LIBRARY_PATH=/nonexistent"};
    const Report report = report_of(run_probe(run));
    CHECK(report.ended);
    CHECK(report.loader == true);
    if (report.nvidia.path.empty())  // a machine with a driver has one
        CHECK(report.nvidia.missing.find("libcuda.so.1") != std::string::npos);
    if (report.amd.path.empty())
        CHECK(report.amd.missing.find("libhsa-runtime64.so.1") != std::string::npos);
}

TEST_CASE("a library that is something else is reported as missing, with the reason") {
    char folder[] = "/tmp/gantry-library-XXXXXX";
    REQUIRE(::mkdtemp(folder));
    std::ofstream(std::string(folder) + "/libcuda.so.1") << "not a library, but long enough to be"
                                                            " one, as far as the loader can see";
    ProbeRun run;
    run.nvidia = 1;
    run.environment = {"LD_LIBRARY_PATH=" + std::string(folder)};
    const Report report = report_of(run_probe(run));
    std::filesystem::remove_all(folder);
    CHECK(report.nvidia.missing.find("invalid ELF header") != std::string::npos);
}

TEST_CASE("the library's process has a clean environment and no foreign descriptor") {
    ProbeRun run = fakes(0, 1, "hang=cuInit");
    for (const char* entry :
         {"LD_PRELOAD=/nonexistent.so", "LD_AUDIT=/nonexistent.so", "HSA_TOOLS_LIB=x",
          "HSA_MODEL_LIB=x", "HSA_MODEL_TOPOLOGY=x", "CUDA_INJECTION64_PATH=x", "ROCP_TOOL_LIB=x",
          "LD_TRACE_LOADED_OBJECTS=1", "CUDA_VISIBLE_DEVICES=0,1", "HSA_OVERRIDE_GFX_VERSION=",
          "HSA_OVERRIDE_GFX_VERSION_1=10.3.0", "KEPT=yes"})
        run.environment.emplace_back(entry);
    run.wait_for = "stage\tcuInit\n";
    std::string environment;
    std::map<std::string, std::string> descriptors;
    run.inspect = [&](pid_t pid) {
        const std::string process = "/proc/" + std::to_string(pid);
        environment = read_file(process + "/environ");
        for (const auto& entry : std::filesystem::directory_iterator(process + "/fd"))
            descriptors[entry.path().filename()] =
                std::filesystem::read_symlink(entry.path()).string();
    };
    const Report report = report_of(run_probe(run));

    const auto has = [&](const std::string& text) {
        return ('\0' + environment).find('\0' + text) != std::string::npos;
    };
    for (const char* gone : {"LD_PRELOAD", "LD_AUDIT", "HSA_TOOLS_LIB", "HSA_MODEL_LIB",
                             "HSA_MODEL_TOPOLOGY", "CUDA_INJECTION64_PATH", "ROCP_TOOL_LIB",
                             "LD_TRACE_LOADED_OBJECTS"}) {
        INFO(gone);
        CHECK_FALSE(has(gone));
        CHECK(std::ranges::count(report.notes,
                                 std::string("ignored in the check's environment: ") + gone) == 1);
    }
    CHECK(has("KEPT=yes"));
    CHECK(has("LD_LIBRARY_PATH="));
    CHECK(has("HSA_OVERRIDE_GFX_VERSION_1=10.3.0"));
    CHECK(has("CUDA_CACHE_DISABLE=1"));
    CHECK(report.variables ==
          std::vector<std::pair<std::string, std::string>>{{"CUDA_VISIBLE_DEVICES", "0,1"},
                                                           {"HSA_OVERRIDE_GFX_VERSION", ""}});

    // The report and the challenges.
    REQUIRE(descriptors.size() == 5);
    for (const char* standard : {"0", "1", "2"}) CHECK(descriptors[standard] == "/dev/null");
    CHECK(std::ranges::count_if(descriptors, [](const auto& entry) {
              return entry.second.starts_with("pipe:");
          }) == 2);
}
