// gantry-probe on device nodes of this machine that no GPU driver stands behind.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "catch.hpp"
#include "in_child.hpp"
#include "must_work.hpp"
#include "probe/verdict.hpp"
#include "run_probe.hpp"
#include "temporary_nodes.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

NodeReport check_one(const std::string& argument, uid_t uid = 0) {
    ProbeRun run;
    run.nodes = {argument};
    run.uid = uid;
    const ProbeResult result = run_probe(run);
    INFO(result.report);
    CHECK(result.exit_code == 0);
    const auto report = parse_report(result.report);
    REQUIRE(report);
    REQUIRE(report->ended);
    REQUIRE(report->nodes.size() == 1);
    return report->nodes[0];
}

}  // namespace

TEST_CASE("a mount that forbids devices is told from a security module") {
    const std::string reason = why_no_nodes();
    if (not_here(reason.empty(), reason)) return;
    CHECK(test::in_child([]() -> std::string {
              TemporaryNodes nodes;
              const std::string argument = nodes.make("kfd", "kfd", unowned_major(), 0, 0666);
              if (check_one(argument).nodev) return "nodev before";
              if (::unshare(CLONE_NEWNS) != 0 ||
                  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                  ::mount(nodes.folder().c_str(), nodes.folder().c_str(), nullptr, MS_BIND,
                          nullptr) != 0 ||
                  ::mount(nullptr, nodes.folder().c_str(), nullptr,
                          MS_REMOUNT | MS_BIND | MS_NODEV, nullptr) != 0)
                  return "no mount";
              const NodeReport node = check_one(argument);
              ::umount(nodes.folder().c_str());
              return std::to_string(node.open_errno) + (node.nodev ? " nodev" : "");
          }) == std::to_string(EACCES) + " nodev");
}

TEST_CASE("without nodes and vendors the report begins and ends") {
    const ProbeResult result = run_probe({});
    const auto report = parse_report(result.report);
    REQUIRE(report);
    CHECK(report->began);
    CHECK(report->ended);
    CHECK_FALSE(report->loader);
    REQUIRE(report->process);
    CHECK(report->process->uid == ::geteuid());
    CHECK(result.exit_code == 0);
}

TEST_CASE("wrong arguments leave the report empty") {
    ProbeRun run;
    run.nodes = {"kfd:x:0:/dev/kfd"};
    const ProbeResult result = run_probe(run);
    CHECK(result.report.empty());
    CHECK(result.exit_code == 2);
}

TEST_CASE("an absent node and a file in its place are told apart") {
    TemporaryNodes nodes;
    const NodeReport absent = check_one("kfd:234:0:" + nodes.folder() + "/kfd");
    CHECK(absent.open_errno == ENOENT);
    CHECK(absent.major == 0);
    std::ofstream(nodes.folder() + "/file") << "x";
    const NodeReport file = check_one("kfd:234:0:" + nodes.folder() + "/file");
    CHECK(file.open_errno == 0);
    CHECK(file.major == 0);
    CHECK(file.minor == 0);
}

TEST_CASE("a node without a driver: SIMULATED on a simulated host, ACCESS on a real one") {
    const std::string reason = why_no_nodes();
    if (not_here(reason.empty(), reason)) return;
    TemporaryNodes nodes;
    const unsigned major = unowned_major();
    Expectation expectation;
    expectation.nodes = {{NodeRole::AmdKfd, nodes.folder() + "/kfd", major, 0, "AMD GPU 0"}};

    ProbeRun run;
    run.nodes = {nodes.make("kfd", "kfd", major, 0, 0660)};
    RunOutcome outcome;
    outcome.report_text = run_probe(run).report;
    CAPTURE(outcome.report_text);
    CHECK(parse_report(outcome.report_text)->nodes.at(0).open_errno == ENXIO);

    expectation.simulated = true;
    CHECK(judge(expectation, outcome).outcome == Outcome::Simulated);
    expectation.simulated = false;
    const Verdict real = judge(expectation, outcome);
    CHECK(real.outcome == Outcome::Access);
    CHECK(real.error->code == Code::ProbeAccess);
    INFO(real.error->text());
    CHECK(real.error->text().find("ENXIO") != std::string::npos);
}

TEST_CASE("a mode that refuses the user is EACCES, with what the judge needs to know") {
    const std::string reason = why_no_nodes();
    if (not_here(reason.empty(), reason)) return;
    TemporaryNodes nodes;
    const NodeReport node =
        check_one(nodes.make("render", "renderD128", unowned_major(), 128, 0640), 65534);
    CHECK(node.open_errno == EACCES);
    CHECK(node.mode == 0640);
    CHECK(node.uid == 0);
    CHECK(node.gid == 0);
    CHECK(node.minor == 128);
}

TEST_CASE("a number that is not the granted one is reported and never opened") {
    const std::string reason = why_no_nodes();
    if (not_here(reason.empty(), reason)) return;
    TemporaryNodes nodes;
    REQUIRE_FALSE(nodes.make("kfd", "kfd", 1, 3, 0666).empty());
    ProbeRun run;
    run.nodes = {"kfd:" + std::to_string(unowned_major()) + ":0:" + nodes.folder() + "/kfd"};
    const std::string report = run_probe(run).report;
    INFO(report);
    CHECK(report.find("/kfd\t1\t3\t666\t0\t0\t0\t-1\n") != std::string::npos);
    CHECK(report.find("stage\topen") == std::string::npos);
}

TEST_CASE("a device of another driver is neither opened nor asked") {
    const std::string reason = why_no_nodes();
    if (not_here(reason.empty(), reason)) return;
    TemporaryNodes nodes;
    // /dev/null would open, /dev/zero would answer the ioctl with ENOTTY.
    for (const char* role : {"kfd", "render", "nvctl", "nvuvm", "nvgpu"})
        for (const unsigned minor : {3U, 5U}) {
            const std::string name = role + std::to_string(minor);
            const NodeReport node = check_one(nodes.make(role, name, 1, minor, 0666));
            INFO(name);
            CHECK(node.open_errno == ENXIO);
            CHECK(node.ioctl_errno == -1);
        }
}
