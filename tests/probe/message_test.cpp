// What every message must keep to, over all rows of all tables.
#include "base/text.hpp"
#include "catch.hpp"
#include "probe/diagnosis_table.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

constexpr int kLastErrno = 133;

void check_message(const Verdict& verdict) {
    REQUIRE(verdict.error);
    const std::string text = verdict.error->text();
    INFO(text);
    // Code, GPU, verdict and what to do, before anything is cut.
    const std::string headline = to_string(verdict.error->code) + ": " + verdict.error->message;
    CHECK(headline.size() <= kHeadlineBytes);
    CHECK(verdict.error->message.starts_with("GPU check"));
    // What is told of the image, or of what comes before the GPU, names none.
    const Outcome outcome = verdict.outcome;
    if (outcome != Outcome::TwinFailed && outcome != Outcome::NoGpuLibrary &&
        outcome != Outcome::NotApplicable)
        CHECK(verdict.error->message.find(" GPU 0") != std::string::npos);
    CHECK(verdict.error->message.find("; ") != std::string::npos);
    CHECK(text.size() <= kMaxErrorBytes);
    CHECK_FALSE(text.ends_with("..."));
    CHECK(printable(text, 4096) == text);
    const std::string lower = to_lower(text);
    for (const char* phrase :
         {"permission denied", "no such file or directory", "is a directory", "not a directory",
          "operation not permitted", "executable file not found"})
        CHECK(lower.find(phrase) == std::string::npos);
}

std::string with_node(const std::string& report, const ExpectedNode& node, int ioctl_errno,
                      const std::string& line) {
    return with(report, node_line(node, 0, ioctl_errno), line);
}

}  // namespace

TEST_CASE("messages about nodes keep to the form for every errno") {
    for (const Expectation& expectation : {amd_expectation(), nvidia_expectation()}) {
        const bool amd = !expectation.amd.empty();
        const std::string report = amd ? amd_report() : nvidia_report();
        for (const ExpectedNode& node : expectation.nodes)
            for (int error = 1; error <= kLastErrno; ++error)
                for (const char* mode : {"660", "600", "666", "0"}) {
                    check_message(judge(expectation,
                                        run_with(with_node(report, node, amd ? 0 : -1,
                                                           node_line(node, error, -1, mode)))));
                    check_message(judge(expectation,
                                        run_with(with_node(report, node, amd ? 0 : -1,
                                                           node_line(node, 0, error, mode)))));
                }
    }
}

TEST_CASE("a long path and a count of others still leave room for the remedy") {
    Expectation expectation = amd_expectation();
    for (unsigned minor = 129; minor < 140; ++minor)
        expectation.nodes.push_back({NodeRole::AmdRender,
                                     "/dev/dri/by-path/pci-0000:03:00.0-render-" +
                                         std::to_string(minor),
                                     226, minor, "AMD GPU (AMD Instinct MI300X OAM)"});
    expectation.nodes.erase(expectation.nodes.begin(), expectation.nodes.begin() + 2);
    for (int error = 1; error <= kLastErrno; ++error)
        for (const char* mode : {"660", "600", "666", "0"}) {
            std::string report = "begin\t2\nprocess\t0\t0\t-\n";
            for (const ExpectedNode& node : expectation.nodes)
                report += node_line(node, error, -1, mode);
            const Verdict verdict = judge(expectation, run_with(report + amd_library()));
            REQUIRE(verdict.error);
            INFO(verdict.error->message);
            CHECK(verdict.error->message.find(" and 10 more; ") != std::string::npos);
            // The remedy begins in time; its end may not.
            CHECK(verdict.error->message.find("; ") + 20 <= kHeadlineBytes);
        }
}

TEST_CASE("messages about libraries keep to the form for every code") {
    for (const char* call : {"cuInit", "cuDeviceGetCount"})
        for (std::int64_t code = -1; code <= 1000; ++code)
            check_message(judge(nvidia_expectation(),
                                run_with(with(nvidia_report(), "devices\tnvidia\t1\n",
                                              "failed\tnvidia\t" + std::string(call) + "\t" +
                                                  std::to_string(code) + "\tCUDA_ERROR\n"))));
    for (const char* call : {"hsa_init", "hsa_iterate_agents", "hsa_shut_down", "hipInit",
                             "hipModuleLoadData"})
        for (const Diagnosis& row : diagnosis_table())
            if (row.library != Library::Cuda)
                check_message(judge(amd_expectation(),
                                    run_with(with(amd_report(), "devices\tamd\t1\n",
                                                  "failed\tamd\t" + std::string(call) + "\t" +
                                                      std::to_string(row.code) + "\t-\n"))));
    check_message(judge(amd_expectation(), run_with(amd_report(0))));
    check_message(judge(nvidia_expectation(), run_with(nvidia_report(0))));
}

TEST_CASE("messages about the ending keep to the form for every exit status") {
    const std::string cut = nodes_report(nvidia_expectation()) + "loader\tyes\nlibrary\tnvidia\t" +
                            kCudaPath + "\nstage\t";
    for (const char* stage :
         {"cuDeviceGetCount", kStageLoader, "ask the driver of /dev/nvidia-uvm"})
        for (int exit_code = 0; exit_code < 256; ++exit_code) {
            RunOutcome run = run_with(cut + stage + "\n");
            run.exit_code = exit_code;
            check_message(judge(nvidia_expectation(), run));
            run.deadline_passed = true;
            check_message(judge(nvidia_expectation(), run));
            run.unkillable = true;
            check_message(judge(nvidia_expectation(), run));
        }
    check_message(judge(nvidia_expectation(), run_with("garbage\n")));
    RunOutcome none;
    none.runtime_text = std::string(2000, 'x');
    check_message(judge(nvidia_expectation(), RunOutcome{}));
    CHECK(judge(nvidia_expectation(), none).error->text().size() <= kMaxErrorBytes);
}

TEST_CASE("hostile words in a report do not get into a message as they are") {
    const std::string evil = "/permission denied/\xff/no such file or directory";
    Expectation expectation = amd_expectation();
    expectation.nodes[1].path = evil;
    expectation.nodes[1].gpu = "AMD GPU 0 (Operation not permitted)";
    const ExpectedNode node = expectation.nodes[1];
    std::string report = with(amd_report(), node_line(amd_expectation().nodes[1], 0, 0),
                              node_line(node, 6, -1));
    check_message(judge(expectation, run_with(report)));
    report = with(nodes_report(amd_expectation()) + amd_library(0), kHsaPath, evil);
    check_message(judge(amd_expectation(), run_with(report)));
    report = nodes_report(amd_expectation()) + "stage\tis a directory\n";
    check_message(judge(amd_expectation(), run_with(report)));
}
