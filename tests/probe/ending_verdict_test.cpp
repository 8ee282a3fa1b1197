#include <cerrno>
#include <csignal>

#include "catch.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

bool says(const Verdict& verdict, const std::string& words) {
    INFO(text_of(verdict));
    INFO(words);
    return text_of(verdict).find(words) != std::string::npos;
}

// Cut off while cuInit runs.
RunOutcome stopped_in_init() {
    return run_with(nodes_report(nvidia_expectation()) + "loader\tyes\nlibrary\tnvidia\t" +
                    kCudaPath + "\nstage\tcuInit\n");
}

}  // namespace

TEST_CASE("a check that was told to end says nothing of the GPU") {
    RunOutcome run = run_with(amd_report());
    run.interrupted_by = SIGTERM;
    const Verdict verdict = judge(amd_expectation(), run);
    CHECK(verdict.outcome == Outcome::TwinFailed);
    REQUIRE(verdict.error);
    CHECK_THAT(verdict.error->text(),
               Catch::StartsWith("GTY-409: GPU check not made: stopped by SIGTERM; start the "
                                 "container again"));
    run.unkillable = true;
    CHECK_THAT(judge(amd_expectation(), run).error->text(), Catch::Contains("see dmesg"));
}

TEST_CASE("a check that never began says nothing of the GPU") {
    RunOutcome run;
    run.exit_code = 1;
    run.runtime_text = "container_linux.go: exec: \"x\": permission denied";
    const Verdict verdict = judge(amd_expectation(), run);
    CHECK(verdict.outcome == Outcome::TwinFailed);
    CHECK(verdict.error->code == Code::TwinFailed);
    CHECK(says(verdict, "GPU check not made: its container did not start"));
    CHECK(says(verdict, "The runtime said: container_linux.go: exec: \"x\": access refused"));

    run.runtime_text.clear();
    CHECK(says(judge(amd_expectation(), run), "said nothing (exit 1)"));
    run.deadline_passed = true;
    CHECK(says(judge(amd_expectation(), run), "did not start in time"));
    CHECK(judge(amd_expectation(), run).outcome == Outcome::TwinFailed);
    run.unkillable = true;
    CHECK(says(judge(amd_expectation(), run), "cannot be killed"));
    // Half a first line is no beginning.
    run.report_text = "begin\t";
    CHECK(judge(amd_expectation(), run).outcome == Outcome::TwinFailed);
}

TEST_CASE("a runtime that was killed says nothing of the GPU, however far the check was") {
    RunOutcome run = stopped_in_init();
    run.exit_code = 137;
    run.runtime_killed = true;
    const Verdict verdict = judge(nvidia_expectation(), run);
    CHECK(verdict.outcome == Outcome::TwinFailed);
    CHECK(says(verdict, "its runtime was killed; see dmesg"));
}

TEST_CASE("of several GPUs the first is named, and how many more there are") {
    Expectation expectation = nvidia_expectation();
    expectation.nodes.push_back({NodeRole::NvidiaGpu, "/dev/nvidia1", 195, 1, "NVIDIA GPU 1 (T4)"});
    CHECK(name_gpus(expectation, Whose::All) == "NVIDIA GPU 0 (T4) and 1 more");
    CHECK(name_gpus(expectation, Whose::Amd).empty());
    const Error error = check_failed(Code::ProbeHung, name_gpus(expectation, Whose::All), "it hung",
                                     "reboot", "Why.");
    CHECK(error.message == "GPU check failed: NVIDIA GPU 0 and 1 more: it hung; reboot");
    CHECK(error.remedy == "It is NVIDIA GPU 0 (T4) and 1 more. Why.");
}

TEST_CASE("a hang names the stage and the library") {
    RunOutcome run = stopped_in_init();
    run.deadline_passed = true;
    run.exit_code = 137;
    const Verdict hung = judge(nvidia_expectation(), run);
    CHECK(hung.error->code == Code::ProbeHung);
    CHECK(says(hung, "GPU check failed: NVIDIA GPU 0: hung at cuInit; see dmesg"));
    CHECK(says(hung, kCudaPath));

    run.unkillable = true;
    const Verdict stuck = judge(nvidia_expectation(), run);
    CHECK(stuck.error->code == Code::ProbeStuck);
    CHECK(says(stuck, "stuck at cuInit"));
}

TEST_CASE("a process that cannot be killed outranks whatever it reported") {
    RunOutcome run = run_with(amd_report());
    run.unkillable = run.deadline_passed = true;
    CHECK(judge(amd_expectation(), run).error->code == Code::ProbeStuck);
    CHECK(judge(amd_expectation(true), run).error->code == Code::ProbeStuck);
    const ExpectedNode kfd = amd_expectation().nodes[0];
    run.report_text = with(amd_report(), node_line(kfd, 0, 0), node_line(kfd, EPERM, -1));
    CHECK(judge(amd_expectation(), run).error->code == Code::ProbeStuck);
}

TEST_CASE("a check that ended well is judged by its report though its container ended late") {
    RunOutcome run = run_with(amd_report());
    run.deadline_passed = true;
    run.exit_code = 137;
    CHECK(judge(amd_expectation(), run).outcome == Outcome::Pass);
}

TEST_CASE("a refused node explains a hang and a crash") {
    const ExpectedNode uvm = nvidia_expectation().nodes[1];
    RunOutcome run = stopped_in_init();
    run.report_text = with(run.report_text, node_line(uvm, 0, -1), node_line(uvm, EPERM, -1));
    run.exit_code = 139;
    CHECK(judge(nvidia_expectation(), run).error->code == Code::ProbeAccess);
    run.deadline_passed = true;
    CHECK(judge(nvidia_expectation(), run).error->code == Code::ProbeAccess);
}

TEST_CASE("a crash names the signal, the stage and the library") {
    struct Row {
        int exit_code;
        const char* words;
    };
    const Row row = GENERATE(Row{128 + SIGSEGV, "crashed at cuInit (SIGSEGV)"},
                             Row{128 + SIGABRT, "crashed at cuInit (SIGABRT)"},
                             Row{128 + SIGKILL, "killed at cuInit (SIGKILL); see dmesg for out"},
                             Row{128 + SIGSYS, "killed at cuInit (SIGSYS); allow that system"},
                             Row{0, "ended early at cuInit (exit 0)"},
                             Row{2, "ended early at cuInit (exit 2)"},
                             Row{127, "ended early at cuInit (exit 127)"},
                             Row{255, "ended early at cuInit (exit 255)"});
    RunOutcome run = stopped_in_init();
    run.exit_code = row.exit_code;
    const Verdict verdict = judge(nvidia_expectation(), run);
    CHECK(verdict.outcome == Outcome::Fault);
    CHECK(verdict.error->code == Code::ProbeCrashed);
    CHECK(says(verdict, row.words));
    CHECK(says(verdict, kCudaPath));
}

TEST_CASE("a crash before the first stage is told as well") {
    RunOutcome run = run_with("begin\t2\n");
    run.exit_code = 139;
    CHECK(says(judge(amd_expectation(), run), "crashed at its start (SIGSEGV)"));
}

TEST_CASE("no loader, or one that refuses: the nodes are all that was checked") {
    const std::string nodes = nodes_report(amd_expectation());
    const Verdict absent = judge(amd_expectation(), run_with(nodes + "loader\tno\t2\nend\n"));
    CHECK(absent.outcome == Outcome::NotApplicable);
    CHECK(absent.error->code == Code::ProbeNoLoader);
    CHECK(says(absent, "the image has no glibc loader"));
    CHECK(says(absent, "ENOENT"));

    RunOutcome refused = run_with(nodes);
    refused.exit_code = kLoaderRefused;
    CHECK(judge(amd_expectation(), refused).outcome == Outcome::NotApplicable);
    // Only that status, at that stage, without a deadline.
    RunOutcome earlier = refused;
    earlier.report_text += "stage\topen /dev/kfd\n";
    CHECK(judge(amd_expectation(), earlier).error->code == Code::ProbeCrashed);
    refused.exit_code = 126;
    CHECK(judge(amd_expectation(), refused).error->code == Code::ProbeCrashed);
    refused.exit_code = kLoaderRefused;
    refused.deadline_passed = true;
    CHECK(judge(amd_expectation(), refused).error->code == Code::ProbeHung);

    // A refused node is not made a warning by it.
    const ExpectedNode kfd = amd_expectation().nodes[0];
    const std::string refused_node = with(nodes, node_line(kfd, 0, 0), node_line(kfd, EPERM, -1));
    const Verdict access =
        judge(amd_expectation(), run_with(refused_node + "loader\tno\t2\nend\n"));
    CHECK(access.error->code == Code::ProbeAccess);
}

TEST_CASE("garbage and too much of it are no verdict on the GPU's health") {
    RunOutcome run = run_with(amd_report());
    run.report_overflow = true;
    CHECK(judge(amd_expectation(), run).error->code == Code::ProbeGarbled);
    const Verdict garbage = judge(amd_expectation(), run_with("begin\t2\nhello\n"));
    CHECK(garbage.outcome == Outcome::Fault);
    CHECK(garbage.error->code == Code::ProbeGarbled);
    CHECK(says(garbage, "line 2 of its report is \"hello\""));
    CHECK(judge(amd_expectation(true), run_with("hello\n")).error->code == Code::ProbeGarbled);
}

TEST_CASE("outcomes have the names that records and scripts use") {
    CHECK(to_string(Outcome::Pass) == "PASS");
    CHECK(to_string(Outcome::NoGpuLibrary) == "NO_GPU_LIBRARY");
    CHECK(to_string(Outcome::TwinFailed) == "TWIN_FAILED");
    for (const OutcomeRow& row : outcome_table()) CHECK(&row_of(row.outcome) == &row);
}
