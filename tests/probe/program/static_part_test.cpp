// The pieces of the static part that are pure enough to be tested in here.
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "catch.hpp"
#include "probe/inside/decimal.hpp"
#include "probe/inside/report_line.hpp"
#include "probe/inside/static/arguments.hpp"
#include "probe/inside/static/driver_majors.hpp"

using namespace gantry::probe;
using namespace gantry::probe::inside;

namespace {

// What a line sends.
std::string sent(ReportLine line) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    line.send(ends[1]);
    ::close(ends[1]);
    std::string text(2 * kMaxLineBytes, '\0');
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
    ::close(ends[0]);
    return text;
}

bool is_node(const char* text) {
    NodeArgument node;
    return parse_node(text, node);
}

bool are_arguments(std::vector<const char*> words) {
    Arguments arguments;
    words.insert(words.begin(), "gantry-probe");
    return parse_arguments(static_cast<int>(words.size()), words.data(), arguments);
}

constexpr const char* kOldDevices =
    "Character devices:\n  1 mem\n  5 /dev/tty\n195 nvidia-frontend\n226 drm\n"
    "235 kfd\n237 nvidia-caps\n510 nvidia-uvm\n\nBlock devices:\n  8 sd\n234 kfd\n";
constexpr const char* kNewDevices =
    "Character devices:\n  1 mem\n195 nvidia-modeset\n195 nvidia\n195 nvidiactl\n"
    "234 nvidia-uvm\n238 nvidia-caps\n\nBlock devices:\n  8 sd\n";

DriverMajors majors_of(const std::string& text) {
    char name[] = "/tmp/gantry-devices-XXXXXX";
    const int fd = ::mkstemp(name);
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(fd);
    const DriverMajors majors(name);
    ::unlink(name);
    return majors;
}

}  // namespace

TEST_CASE("a line is sent whole, its fields without control characters") {
    CHECK(sent(ReportLine("end")) == "end\n");
    CHECK(sent(ReportLine("node").text("/a\tb\nc\x7f").number(-1).octal(0660)) ==
          "node\t/a?b?c?\t-1\t660\n");
    CHECK(sent(ReportLine("note").text("")) == "note\t\n");
}

TEST_CASE("a line is cut where one write could be torn") {
    const std::string longer(9000, 'x');
    const std::string text = sent(ReportLine("note").text(longer.c_str()));
    CHECK(text.size() == kMaxLineBytes);
    CHECK(text.back() == '\n');
    CHECK(text.find('\n') == text.size() - 1);
}

TEST_CASE("numbers are strict") {
    unsigned value = 0;
    CHECK((parse_decimal("0", value) && value == 0));
    CHECK((parse_decimal("4294967295", value) && value == 4294967295U));
    for (const char* text :
         {"", "-1", "+1", " 1", "1 ", "1x", "4294967296", "99999999999999999999"})
        CHECK_FALSE(parse_decimal(text, value));
}

TEST_CASE("a node argument is a role, a number and an absolute path") {
    NodeArgument node;
    REQUIRE(parse_node("render:226:128:/dev/dri/by-path/pci-0000:03:00.0-render", node));
    CHECK(node.role == NodeRole::AmdRender);
    CHECK(node.major == 226);
    CHECK(node.minor == 128);
    CHECK(node.path == std::string("/dev/dri/by-path/pci-0000:03:00.0-render"));
    for (const NodeRole role : kNodeRoles)
        CHECK((parse_node((std::string(role_name(role)) + ":1:2:/x").c_str(), node) &&
               node.role == role));
    for (const char* text : {"", "kfd", "kfd:1:2", "kfd:1:2:", "kfd:1:2:x", "kfd:1:/x",
                             "kf:1:2:/x", "kfdx:1:2:/x", ":1:2:/x", "kfd:-1:2:/x",
                             "kfd:1: 2:/x", "KFD:1:2:/x"}) {
        INFO(text);
        CHECK_FALSE(is_node(text));
    }
}

TEST_CASE("arguments are all understood or none") {
    CHECK(are_arguments({"4", "5", "--amd", "-", "--nvidia", "-", "--gemm", "t"}));
    CHECK(are_arguments({"4", "5", "kfd:1:2:/x", "nvgpu:195:0:/y", "--amd", "any", "--nvidia",
                         "any,any", "--gemm", "t"}));
    CHECK_FALSE(are_arguments({}));
    CHECK_FALSE(are_arguments({"4", "5", "--amd", "-", "--nvidia", "-"}));
    CHECK_FALSE(are_arguments({"x", "5", "--amd", "-", "--nvidia", "-", "--gemm", "t"}));
    CHECK_FALSE(are_arguments({"4", "x", "--amd", "-", "--nvidia", "-", "--gemm", "t"}));
    CHECK_FALSE(are_arguments({"4294967295", "5", "--amd", "-", "--nvidia", "-", "--gemm", "t"}));
    CHECK_FALSE(are_arguments({"4", "5", "--nvidia", "-", "--amd", "-", "--gemm", "t"}));
    CHECK_FALSE(are_arguments({"4", "5", "kfd", "--amd", "-", "--nvidia", "-", "--gemm", "t"}));
    CHECK_FALSE(
        are_arguments({"4", "5", "--amd", "-", "--nvidia", "-", "--gemm", "t", "kfd:1:2:/x"}));
}

TEST_CASE("a major belongs to a role's driver, a stranger or nobody") {
    struct Row {
        NodeRole role;
        unsigned major;
        Owner before_550, since_550;
    };
    const Row row = GENERATE(Row{NodeRole::AmdKfd, 235, Owner::Driver, Owner::Nobody},
                             Row{NodeRole::AmdKfd, 234, Owner::Nobody, Owner::Stranger},
                             Row{NodeRole::AmdRender, 226, Owner::Driver, Owner::Nobody},
                             Row{NodeRole::AmdRender, 1, Owner::Stranger, Owner::Stranger},
                             Row{NodeRole::NvidiaControl, 195, Owner::Driver, Owner::Driver},
                             Row{NodeRole::NvidiaGpu, 195, Owner::Driver, Owner::Driver},
                             Row{NodeRole::NvidiaUvm, 195, Owner::Stranger, Owner::Stranger},
                             Row{NodeRole::NvidiaUvm, 234, Owner::Nobody, Owner::Driver},
                             Row{NodeRole::NvidiaUvm, 510, Owner::Driver, Owner::Nobody},
                             Row{NodeRole::NvidiaUvm, 237, Owner::Stranger, Owner::Nobody},
                             Row{NodeRole::NvidiaControl, 237, Owner::Stranger, Owner::Nobody},
                             Row{NodeRole::NvidiaGpu, 238, Owner::Nobody, Owner::Stranger},
                             Row{NodeRole::AmdKfd, 8, Owner::Nobody, Owner::Nobody});
    INFO(role_name(row.role) << " " << row.major);
    CHECK(majors_of(kOldDevices).owner(row.role, row.major) == row.before_550);
    CHECK(majors_of(kNewDevices).owner(row.role, row.major) == row.since_550);
}

TEST_CASE("a masked /proc/devices names no owner") {
    CHECK(majors_of("").owner(NodeRole::AmdKfd, 235) == Owner::Unknown);
    CHECK(DriverMajors("/nonexistent").owner(NodeRole::AmdKfd, 1) == Owner::Unknown);
    CHECK(DriverMajors().owner(NodeRole::AmdKfd, 1) == Owner::Stranger);
}
