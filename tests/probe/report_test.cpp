#include "probe/report.hpp"

#include "catch.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;

namespace {

bool garbled(const std::string& text) {
    const auto report = parse_report(text);
    return !report && report.error().code == Code::ProbeGarbled;
}

}  // namespace

TEST_CASE("every line of a report is taken") {
    const auto report = parse_report(
        "begin\t2\n"
        "process\t1000\t100\t44,105\n"
        "variable\tROCR_VISIBLE_DEVICES\t\n"
        "note\tignored in the check's environment: LD_PRELOAD\n"
        "stage\topen /dev/kfd\n"
        "node\t/dev/kfd\t234\t7\t660\t0\t105\t13\t-1\n"
        "loader\tno\t2\n"
        "library\tamd\t/opt/rocm/lib/libhsa-runtime64.so.1\n"
        "fake\tamd\n"
        "failed\tamd\thsa_init\t4104\tHSA_STATUS_ERROR_OUT_OF_RESOURCES: no\n"
        "missing\tnvidia\tlibcuda.so.1: not there\n"
        "devices\tnvidia\t3\n"
        "end\n");
    REQUIRE(report);
    CHECK(report->began);
    CHECK(report->ended);
    REQUIRE(report->process);
    CHECK(report->process->uid == 1000);
    CHECK(report->process->gid == 100);
    CHECK(report->process->groups == std::vector<std::uint32_t>{44, 105});
    REQUIRE(report->variables.size() == 1);
    CHECK(report->variables[0] == std::pair<std::string, std::string>{"ROCR_VISIBLE_DEVICES", ""});
    CHECK(report->notes.size() == 1);
    CHECK(report->last_stage == "open /dev/kfd");
    REQUIRE(report->nodes.size() == 1);
    CHECK(report->nodes[0].path == "/dev/kfd");
    CHECK(report->nodes[0].major == 234);
    CHECK(report->nodes[0].minor == 7);
    CHECK(report->nodes[0].mode == 0660);
    CHECK(report->nodes[0].gid == 105);
    CHECK(report->nodes[0].open_errno == 13);
    CHECK(report->nodes[0].ioctl_errno == -1);
    CHECK(report->loader == false);
    CHECK(report->loader_errno == 2);
    CHECK(report->amd.path == "/opt/rocm/lib/libhsa-runtime64.so.1");
    CHECK(report->amd.fake);
    CHECK_FALSE(report->nvidia.fake);
    CHECK(report->amd.failed.call == "hsa_init");
    CHECK(report->amd.failed.code == 0x1008);
    CHECK(report->amd.failed.name == "HSA_STATUS_ERROR_OUT_OF_RESOURCES: no");
    CHECK(report->nvidia.missing == "libcuda.so.1: not there");
    CHECK(report->nvidia.devices == 3U);
    CHECK_FALSE(report->amd.devices);
}

TEST_CASE("a report cut off anywhere is taken as far as its last whole line") {
    const std::string whole = amd_report();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO(size);
        const auto report = parse_report(whole.substr(0, size));
        REQUIRE(report);
        CHECK_FALSE(report->ended);
        CHECK(report->began == (size >= std::string("begin\t2\n").size()));
    }
    CHECK(parse_report(whole)->ended);

    const auto cut = parse_report("begin\t2\nstage\tcuInit\nstage\tcuDeviceGetC");
    REQUIRE(cut);
    CHECK(cut->last_stage == "cuInit");
}

TEST_CASE("what is no line of the protocol is refused") {
    const std::string line = GENERATE(
        as<std::string>{}, "", "begin", "begin\t1", "begin\t3", "begin\t2\t1", "hello", "stage", "stage\t",
        "stage\ta\tb", "process\t0\t0", "process\tx\t0\t-", "process\t0\t0\t1,,2",
        "process\t0\t0\t", "node\t/dev/kfd\t234\t0\t660\t0\t0\t0",
        "nodev\t/dev/kfd", "node\t\t234\t0\t660\t0\t0\t0\t0", "node\t/dev/kfd\t-1\t0\t660\t0\t0\t0\t0",
        "node\t/dev/kfd\t4294967296\t0\t660\t0\t0\t0\t0",
        "node\t/dev/kfd\t234\t0\t668\t0\t0\t0\t0", "node\t/dev/kfd\t234\t0\t10000\t0\t0\t0\t0",
        "node\t/dev/kfd\t234\t0\t660\t0\t0\t-1\t0", "node\t/dev/kfd\t234\t0\t660\t0\t0\t0\t-2",
        "node\t/dev/kfd\t234\t0\t660\t0\t0\t0\t--1", "loader\tmaybe", "loader\tno",
        "loader\tyes\t0", "library\tintel\t/x", "library\tamd\t", "fake\tintel",
        "failed\tamd\thsa_init\tx\t-", "failed\tamd\t\t1\t-", "devices\tamd\t-1",
        "devices\tamd\t+1", "devices\tamd\t1x", "end\t", "variable\t\tx", "note\ta\x01b",
        "note\ta\x7f", "note\ta\rb");
    INFO(line);
    CHECK(garbled("begin\t2\n" + line + "\n"));
}

TEST_CASE("nothing comes before begin or after end") {
    CHECK(garbled("end\n"));
    CHECK(garbled("stage\tx\nbegin\t2\n"));
    CHECK(garbled("begin\t2\nend\nnote\tx\n"));
    CHECK(garbled("begin\t2\nend\nend\n"));
}

TEST_CASE("no line is believed twice") {
    const std::string line =
        GENERATE(as<std::string>{}, "process\t0\t0\t-", "variable\tA\tb",
                 "node\t/dev/kfd\t234\t0\t660\t0\t0\t0\t0", "loader\tyes", "library\tamd\t/x",
                 "fake\tamd", "missing\tamd\tx", "failed\tamd\thsa_init\t1\t-", "devices\tamd\t0");
    INFO(line);
    CHECK(parse_report("begin\t2\n" + line + "\n"));
    CHECK(garbled("begin\t2\n" + line + "\n" + line + "\n"));
    CHECK(garbled("begin\t2\nbegin\t2\n"));
}

TEST_CASE("nodev is said of the node before it, once") {
    const std::string kfd = "node\t/dev/kfd\t234\t0\t660\t0\t0\t13\t-1\n";
    const auto report = parse_report("begin\t2\n" + kfd + "nodev\t/dev/kfd\n");
    REQUIRE(report);
    CHECK(report->nodes.at(0).nodev);
    CHECK_FALSE(parse_report("begin\t2\n" + kfd)->nodes.at(0).nodev);
    for (const char* text : {"nodev\t/dev/dri\n", "nodev\t/dev/kfd\nnodev\t/dev/kfd\n", "nodev\n"}) {
        INFO(text);
        CHECK(garbled("begin\t2\n" + kfd + text));
    }
}

TEST_CASE("a line longer than the program can write is refused, ended or not") {
    const std::string longest = "note\t" + std::string(4095 - 5, 'x');
    CHECK(parse_report("begin\t2\n" + longest + "\n"));
    CHECK(garbled("begin\t2\n" + longest + "x\n"));
    CHECK(parse_report("begin\t2\n" + longest));
    CHECK(garbled("begin\t2\n" + longest + "x"));
}

TEST_CASE("a refusal quotes the line without its control characters") {
    const auto report = parse_report("begin\t2\nfo\x1b[31mo\n");
    REQUIRE_FALSE(report);
    CHECK(report.error().message == "line 2 of its report is \"fo\\x1b[31mo\"");
}
