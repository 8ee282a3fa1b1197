#include <cerrno>

#include "catch.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

// All of AMD's report is well but the last node.
std::string with_render(int open_errno, int ioctl_errno, const std::string& mode = "660") {
    const ExpectedNode render = amd_expectation().nodes[1];
    return with(amd_report(), node_line(render, 0, 0),
                node_line(render, open_errno, ioctl_errno, mode));
}

Verdict judge_amd_nodes(const std::string& report, bool simulated = false) {
    return judge(amd_expectation(simulated), run_with(report));
}

bool says(const Verdict& verdict, const std::string& words) {
    INFO(text_of(verdict));
    INFO(words);
    return text_of(verdict).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the same ENXIO is expected on a simulated host and a failure on a real one") {
    const std::string report = with_render(ENXIO, -1);
    CHECK(judge_amd_nodes(report, true).outcome == Outcome::Simulated);
    const Verdict real = judge_amd_nodes(report, false);
    CHECK(real.outcome == Outcome::Access);
    REQUIRE(real.error);
    CHECK(real.error->code == Code::ProbeAccess);
    CHECK(says(real, "no driver behind it (ENXIO); modprobe amdgpu on the host"));
}

TEST_CASE("a simulated host is never a pass, a real one never simulated") {
    for (const int open_errno : {0, ENXIO})
        for (const int ioctl_errno : {-1, 0, ENOTTY, ENXIO}) {
            INFO(open_errno << " " << ioctl_errno);
            const std::string report = with_render(open_errno, ioctl_errno);
            CHECK(judge_amd_nodes(report, true).outcome == Outcome::Simulated);
            const Outcome real = judge_amd_nodes(report, false).outcome;
            CHECK(real == (open_errno == 0 && ioctl_errno == 0 ? Outcome::Pass : Outcome::Access));
        }
}

TEST_CASE("other errors are failures on a simulated host as well") {
    const int error_number = GENERATE(ENOENT, EACCES, EPERM, ENODEV, EBUSY, EIO, ENOMEM);
    INFO(error_number);
    for (const bool simulated : {false, true}) {
        const Verdict opened = judge_amd_nodes(with_render(error_number, -1), simulated);
        CHECK(opened.outcome == Outcome::Access);
        CHECK(opened.error->code == Code::ProbeAccess);
        const Verdict asked = judge_amd_nodes(with_render(0, error_number), simulated);
        CHECK(asked.outcome == Outcome::Access);
        CHECK(asked.error->code == Code::ProbeAccess);
    }
}

TEST_CASE("each errno of an open has its cause and its remedy") {
    struct Row {
        int error_number;
        const char* words;
    };
    const Row row = GENERATE(Row{ENOENT, "is missing; remove the mount"},
                             Row{ENODEV, "no device behind it (ENODEV); see dmesg"},
                             Row{EBUSY, "is busy (EBUSY); stop what holds it"},
                             Row{EIO, "answers EIO; see dmesg on the host"},
                             Row{EPERM, "device rules (EPERM); allow 'c 226:128 rw'"},
                             Row{ELOOP, "chain of links (ELOOP); remove that link"},
                             Row{ENOMEM, "does not open (ENOMEM); see dmesg"});
    const Verdict verdict = judge_amd_nodes(with_render(row.error_number, -1));
    CHECK(verdict.error->message.starts_with("GPU check failed: "));
    CHECK(says(verdict, "/dev/dri/renderD128 "));
    CHECK(says(verdict, row.words));
    CHECK(says(verdict, "AMD GPU 0 (RX 6700 XT)"));
}

TEST_CASE("NVIDIA's drivers are named by the node's role") {
    const Expectation expectation = nvidia_expectation();
    const char* const modules[] = {"modprobe nvidia on", "modprobe nvidia-uvm on",
                                   "modprobe nvidia on"};
    for (std::size_t i = 0; i < expectation.nodes.size(); ++i) {
        const ExpectedNode& node = expectation.nodes[i];
        const Verdict verdict =
            judge(expectation, run_with(with(nvidia_report(), node_line(node, 0, -1),
                                             node_line(node, ENXIO, -1))));
        CHECK(says(verdict, modules[i]));
    }
    const Verdict lost =
        judge(expectation, run_with(with(nvidia_report(), node_line(expectation.nodes[2], 0, -1),
                                         node_line(expectation.nodes[2], EIO, -1))));
    CHECK(says(lost, "Xid"));
}

TEST_CASE("EACCES tells groups, unmapped groups, folders and security modules apart") {
    const auto refused = [](const std::string& process, const std::string& node) {
        std::string report = with_render(EACCES, -1);
        report = with(report, "process\t1000\t1000\t44,105\n", "process\t" + process + "\n");
        report = with(report, "226\t128\t660\t0\t105\t13", node + "\t13");
        return judge_amd_nodes(report);
    };
    CHECK(says(refused("1000\t1000\t44", "226\t128\t660\t0\t105"),
               "add group 105 (--group-add 105)"));
    CHECK(says(refused("1000\t1000\t-", "226\t128\t660\t0\t992"), "supplementalGroups [992]"));
    CHECK(says(refused("0\t0\t-", "226\t128\t660\t65534\t65534"), "not mapped here"));
    CHECK(says(refused("1000\t1000\t105", "226\t128\t600\t0\t105"), "chmod 0660"));
    CHECK(says(refused("1000\t1000\t105", "226\t128\t640\t0\t105"), "chmod 0660"));
    CHECK(says(refused("1000\t1000\t-", "0\t0\t0\t0\t0"), "give its folder mode 0755"));
    // Mode and groups allow it: by group, as owner, for everybody.
    CHECK(says(refused("1000\t1000\t44,105", "226\t128\t660\t0\t105"), "SELinux"));
    CHECK(says(refused("1000\t105\t-", "226\t128\t660\t0\t105"), "setsebool"));
    CHECK(says(refused("0\t0\t-", "226\t128\t600\t0\t105"), "apparmor=unconfined"));
    CHECK(says(refused("1000\t1000\t-", "226\t128\t666\t0\t105"), "SELinux"));
    // No mode and no label helps on a mount that forbids devices.
    CHECK(says(refused("1000\t1000\t44,105", "226\t128\t660\t0\t105\t13\t-1\nnodev\t"
                                              "/dev/dri/renderD128\nnote\tx\nstage\ty\nnode\t/x\t1\t1\t0\t0\t0"),
               "/dev/dri/renderD128 is on a nodev mount (EACCES); drop --tmpfs/-v over /dev/dri"));
    // The owner's bits count for the owner even where others have more.
    CHECK(says(refused("0\t0\t-", "226\t128\t066\t0\t105"), "add group 105"));
}

TEST_CASE("the version call must be answered by a real host's driver") {
    const Verdict refused = judge_amd_nodes(with_render(0, EPERM));
    CHECK(says(refused, "ioctl is refused (EPERM); allow ioctl in seccomp"));
    CHECK(says(judge_amd_nodes(with_render(0, ENOTTY)), "its driver fails (ENOTTY)"));
    CHECK(says(judge_amd_nodes(with_render(0, -1)), "opens, but not as amdgpu's"));
    // NVIDIA's nodes are asked nothing.
    CHECK(judge(nvidia_expectation(), run_with(nvidia_report())).outcome == Outcome::Pass);
}

TEST_CASE("another device or none at the path is a failure on any host") {
    const bool simulated = GENERATE(false, true);
    const std::string report = amd_report();
    const Verdict other = judge_amd_nodes(with(report, "226\t128", "1\t3"), simulated);
    CHECK(says(other, "/dev/dri/renderD128 is 1:3, not 226:128; remove that device entry"));
    const Verdict minor = judge_amd_nodes(with(report, "226\t128", "226\t129"), simulated);
    CHECK(says(minor, "is 226:129, not 226:128"));
    const Verdict file = judge_amd_nodes(with(report, "226\t128", "0\t0"), simulated);
    CHECK(says(file, "is no device node"));
}

TEST_CASE("of several failures the first is told and the others are counted") {
    Expectation expectation = amd_expectation();
    for (unsigned minor = 129; minor < 132; ++minor)
        expectation.nodes.push_back({NodeRole::AmdRender,
                                     "/dev/dri/renderD" + std::to_string(minor), 226, minor, ""});
    std::string report = "begin\t2\nprocess\t0\t0\t-\n";
    for (const ExpectedNode& node : expectation.nodes)
        report += node_line(node, node.minor == 0 ? 0 : EPERM, node.minor == 0 ? 0 : -1);
    const Verdict verdict = judge(expectation, run_with(report + amd_library(4)));
    CHECK(says(verdict, "/dev/dri/renderD128 is refused by device rules and 3 more;"));
    CHECK(says(verdict, "AMD GPU 0"));
    CHECK(says(verdict, "EPERM: "));
}

TEST_CASE("a node that the report leaves out is not taken for a good one") {
    const std::string report =
        with(amd_report(), node_line(amd_expectation().nodes[1], 0, 0), "");
    const Verdict verdict = judge_amd_nodes(report);
    CHECK(verdict.outcome == Outcome::Fault);
    CHECK(verdict.error->code == Code::ProbeGarbled);
}

TEST_CASE("a path with control characters is found again") {
    Expectation expectation = amd_expectation();
    expectation.nodes[1].path = "/dev/dri/render\nD\t128";
    const std::string report = with(amd_report(), "/dev/dri/renderD128", "/dev/dri/render?D?128");
    CHECK(judge(expectation, run_with(report)).outcome == Outcome::Pass);
}
