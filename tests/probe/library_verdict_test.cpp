#include "catch.hpp"
#include "probe/diagnosis_table.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

bool says(const Verdict& verdict, const std::string& words) {
    INFO(text_of(verdict));
    INFO(words);
    return text_of(verdict).find(words) != std::string::npos;
}

const std::string kAmdDevices = "devices\tamd\t1\n";
const std::string kNvidiaDevices = "devices\tnvidia\t1\n";

std::string amd_failed(const std::string& call, std::int64_t code) {
    return with(amd_report(), kAmdDevices,
                "failed\tamd\t" + call + "\t" + std::to_string(code) + "\tHSA_STATUS_X\n");
}

std::string nvidia_failed(const std::string& call, std::int64_t code) {
    return with(nvidia_report(), kNvidiaDevices,
                "failed\tnvidia\t" + call + "\t" + std::to_string(code) + "\tCUDA_ERROR_X\n");
}

std::string call_of(const Diagnosis& row) {
    if (!row.call.empty()) return std::string(row.call);
    return row.library == Library::Hip ? "hipInit" : "hsa_init";
}

}  // namespace

TEST_CASE("all well: pass on a real host, simulated on another, and what was found") {
    const Verdict amd = judge(amd_expectation(), run_with(amd_report()));
    CHECK(amd.outcome == Outcome::Pass);
    CHECK_FALSE(amd.error);
    CHECK(amd.summary == std::string("2 nodes opened; 1 AMD GPU counted by ") + kHsaPath);
    const Verdict nvidia = judge(nvidia_expectation(), run_with(nvidia_report()));
    CHECK(nvidia.outcome == Outcome::Pass);
    CHECK(nvidia.summary == std::string("3 nodes opened; 1 NVIDIA GPU counted by ") + kCudaPath);
    const Verdict simulated = judge(amd_expectation(true), run_with(amd_report()));
    CHECK(simulated.outcome == Outcome::Simulated);
    CHECK(simulated.summary.find("simulated host") != std::string::npos);
    CHECK(simulated.summary.find("opened") == std::string::npos);
}

TEST_CASE("no vendor asked: the nodes alone decide") {
    Expectation expectation = amd_expectation();
    expectation.amd.clear();
    std::string nodes = "begin\t2\nprocess\t0\t0\t-\n";
    for (const ExpectedNode& node : expectation.nodes) nodes += node_line(node, 0, 0);
    const Verdict verdict = judge(expectation, run_with(nodes + "end\n"));
    CHECK(verdict.outcome == Outcome::Pass);
    CHECK(verdict.summary == "2 nodes opened");
}

TEST_CASE("an image without ROCm is a warning, without the injected libcuda a failure") {
    const std::string words = "x.so.1: cannot open shared object file: No such file or directory";
    const std::string from = "library\tamd\t" + std::string(kHsaPath) +
                             "\nstage\thsa_init\ndevices\tamd\t1\n";
    const std::string no_hsa = with(amd_report(), from, "missing\tamd\t" + words + "\n");
    const Verdict amd = judge(amd_expectation(), run_with(no_hsa));
    CHECK(amd.outcome == Outcome::NoGpuLibrary);
    CHECK(amd.error->code == Code::ProbeNoLibrary);
    CHECK(says(amd, "no libhsa-runtime64.so.1 in the image; use a ROCm image"));
    CHECK(says(amd, "cannot open shared object file: not found (ENOENT)"));

    const std::string nvidia_from = "library\tnvidia\t" + std::string(kCudaPath) +
                                    "\nstage\tcuInit\ndevices\tnvidia\t1\n";
    const Verdict nvidia =
        judge(nvidia_expectation(),
              run_with(with(nvidia_report(), nvidia_from, "missing\tnvidia\t" + words + "\n")));
    CHECK(nvidia.outcome == Outcome::Mismatch);
    CHECK(nvidia.error->code == Code::ProbeLibraryMissing);
    CHECK(says(nvidia, "libcuda.so.1 does not load"));
}

TEST_CASE("every code of the diagnosis table tells its name, its action and its cause") {
    for (const Diagnosis& row : diagnosis_table()) {
        const bool hsa = row.library != Library::Cuda;
        INFO(row.name);
        const Verdict verdict =
            hsa ? judge(amd_expectation(), run_with(amd_failed(call_of(row), row.code)))
                : judge(nvidia_expectation(), run_with(nvidia_failed("cuInit", row.code)));
        CHECK(verdict.error->code == row.error);
        CHECK(verdict.outcome == outcome_of(row.error));
        CHECK(says(verdict, std::string(row.name)));
        CHECK(says(verdict, std::string(row.action)));
        CHECK(says(verdict, std::string(row.cause.substr(0, row.cause.find('.')))));
        CHECK(says(verdict, hsa ? kHsaPath : kCudaPath));
    }
}

TEST_CASE("the codes that containers meet are in the table, each once") {
    const std::int64_t cuda[] = {2,   3,   34,  46,  100, 101, 102, 221, 222, 223, 304,
                                 802, 803, 804, 805, 806, 807, 808, 809, 810, 999};
    for (const std::int64_t code : cuda) {
        INFO(code);
        CHECK(find_diagnosis(Library::Cuda, code) != nullptr);
    }
    CHECK(find_diagnosis(Library::Hsa, 0x1000) != nullptr);
    CHECK(find_diagnosis(Library::Hsa, 0x1008) != nullptr);
    CHECK(find_diagnosis(Library::Hsa, 802) == nullptr);
    for (const Diagnosis& row : diagnosis_table())
        CHECK(find_diagnosis(row.library, row.code, row.call) == &row);
}

TEST_CASE("an unknown code is told with the library's own word") {
    const Verdict cuda = judge(nvidia_expectation(), run_with(nvidia_failed("cuInit", 4711)));
    CHECK(says(cuda, "cuInit said 4711; see dmesg on the host"));
    CHECK(says(cuda, "CUDA_ERROR_X"));
    const Verdict hsa =
        judge(amd_expectation(), run_with(amd_failed("hsa_iterate_agents", 0x1234)));
    CHECK(says(hsa, "hsa_iterate_agents said 0x1234"));
}

TEST_CASE("a target that none of the check's kernels fits is named") {
    const Verdict verdict = judge(
        amd_expectation(),
        run_with(with(amd_report(), kAmdDevices,
                      "failed\tamd\thsa_executable_load_agent_code_object\t-2\tgfx801\n")));
    CHECK(verdict.outcome == Outcome::Mismatch);
    CHECK(says(verdict, "no kernel for gfx801"));
}

TEST_CASE("a library without the function is told so, not by a code") {
    const Verdict cuda = judge(nvidia_expectation(), run_with(nvidia_failed("cuInit", -1)));
    CHECK(says(cuda, "library lacks cuInit; see what was loaded"));
    CHECK(says(cuda, kCudaPath));
    CHECK(cuda.error->code == Code::ProbeLibraryFailed);
}

TEST_CASE("a variable that explains a failure is named with its value") {
    const std::string set = "begin\t2\nvariable\tHSA_OVERRIDE_GFX_VERSION\t10.3\n";
    const Verdict verdict =
        judge(amd_expectation(),
              run_with(with(amd_failed("hsa_init", 0x1008), "begin\t2\n", set)));
    CHECK(says(verdict, "The container sets HSA_OVERRIDE_GFX_VERSION=10.3."));
}

TEST_CASE("fewer GPUs than granted is a failure, unless the container chose so") {
    Expectation two = amd_expectation();
    two.amd.push_back(two.amd.front());
    const Verdict fewer = judge(two, run_with(amd_report(1)));
    CHECK(fewer.outcome == Outcome::Mismatch);
    CHECK(fewer.error->code == Code::ProbeDeviceCount);
    CHECK(says(fewer, "1 of 2 AMD GPUs counted"));

    const auto chosen = [](const std::string& value) {
        return "begin\t2\nvariable\tROCR_VISIBLE_DEVICES\t" + value + "\n";
    };
    const Verdict filtered = judge(two, run_with(with(amd_report(1), "begin\t2\n", chosen("1"))));
    CHECK(filtered.outcome == Outcome::Pass);
    CHECK(filtered.summary.find("of 2 granted (ROCR_VISIBLE_DEVICES=1)") != std::string::npos);

    const Verdict none = judge(two, run_with(with(amd_report(0), "begin\t2\n", chosen(""))));
    CHECK(none.outcome == Outcome::Mismatch);
    CHECK(says(none, "0 of 2 AMD GPUs counted; correct ROCR_VISIBLE_DEVICES"));
    // Another vendor's variable explains nothing.
    const std::string unrelated = "begin\t2\nvariable\tCUDA_VISIBLE_DEVICES\t0\n";
    const Verdict other = judge(two, run_with(with(amd_report(1), "begin\t2\n", unrelated)));
    CHECK(other.outcome == Outcome::Mismatch);

    const Verdict no_gpu = judge(nvidia_expectation(), run_with(nvidia_report(0)));
    CHECK(no_gpu.error->code == Code::ProbeDeviceCount);
    CHECK(says(no_gpu, "0 of 1 NVIDIA GPU counted"));
}

TEST_CASE("more GPUs than granted is told and no failure") {
    const Verdict verdict = judge(amd_expectation(), run_with(amd_report(4)));
    CHECK(verdict.outcome == Outcome::Pass);
    CHECK(verdict.summary.find("4 AMD GPUs counted") != std::string::npos);
    CHECK(verdict.summary.find("more than the 1 granted") != std::string::npos);
}

TEST_CASE("the test double is no proof on a real host and answers for a simulated one") {
    const auto with_fake = [](std::string report) {
        return with(std::move(report), "stage\thsa_init\n", "fake\tamd\nstage\thsa_init\n");
    };
    CHECK(judge(amd_expectation(false), run_with(with_fake(amd_report()))).outcome ==
          Outcome::Mismatch);
    CHECK(judge(amd_expectation(true), run_with(with_fake(amd_report()))).outcome ==
          Outcome::Simulated);
    CHECK(judge(amd_expectation(true), run_with(with_fake(amd_report(0)))).error->code ==
          Code::ProbeDeviceCount);
    CHECK(judge(amd_expectation(true), run_with(with_fake(amd_failed("hsa_init", 0x1008))))
              .error->code == Code::ProbeLibraryFailed);
}

TEST_CASE("a real library that finds no GPU on a simulated host is right") {
    CHECK(judge(amd_expectation(true), run_with(amd_failed("hsa_init", 0x1008))).outcome ==
          Outcome::Simulated);
    CHECK(judge(amd_expectation(true), run_with(amd_report(0))).outcome == Outcome::Simulated);
    CHECK(judge(nvidia_expectation(true), run_with(nvidia_failed("cuInit", 999))).outcome ==
          Outcome::Simulated);
}

TEST_CASE("both vendors: a failure of one outranks a missing library of the other") {
    Expectation both = amd_expectation();
    const Expectation nvidia = nvidia_expectation();
    both.nodes.insert(both.nodes.end(), nvidia.nodes.begin(), nvidia.nodes.end());
    both.nvidia = nvidia.nvidia;
    const std::string start = nodes_report(both) + "loader\tyes\n";
    const std::string cuda = "library\tnvidia\t" + std::string(kCudaPath) + "\n";
    const std::string no_hsa = "missing\tamd\tnone\nend\n";

    const Verdict failed =
        judge(both, run_with(start + cuda + "failed\tnvidia\tcuInit\t802\t-\n" + no_hsa));
    CHECK(failed.error->code == Code::ProbeLibraryFailed);
    const Verdict warned = judge(both, run_with(start + cuda + kNvidiaDevices + no_hsa));
    CHECK(warned.outcome == Outcome::NoGpuLibrary);
    CHECK(warned.summary.find("1 NVIDIA GPU counted") != std::string::npos);
}

TEST_CASE("a report that ends and says nothing of a library asked for is refused") {
    const Verdict verdict = judge(
        amd_expectation(), run_with(nodes_report(amd_expectation()) + "loader\tyes\nend\n"));
    CHECK(verdict.outcome == Outcome::Fault);
    CHECK(verdict.error->code == Code::ProbeGarbled);
}
