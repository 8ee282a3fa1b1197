#include "app/exec_process.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "app/bundle.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

struct Exec {
    test::TempFolder folder;
    std::string file = folder / "process.json";
    Record record;

    Exec() {
        record.env = {{"HSA_OVERRIDE_GFX_VERSION", "10.3.0", {}},
                      {"HSA_OVERRIDE_GFX_VERSION_1", std::nullopt, {}}};
        record.additional_gids = {{109, {}}, {110, {}}};
    }
    void write(const std::string& text) {
        REQUIRE(sys::replace_file(file, text, {0640, ::geteuid(), ::getegid()}));
    }
    Status complete() {
        oci::RuntimeArgv arguments;
        arguments.verb = "exec";
        arguments.process_file = file;
        return complete_exec_process(record, arguments);
    }
    std::string text() { return sys::read_regular_file(file, kMaxSpecBytes)->text; }
};

}  // namespace

TEST_CASE("exec: groups and variables of the main process are completed") {
    Exec exec;
    exec.write(R"({"args":["id"],"user":{"uid":1000,"gid":1000,"additionalGids":[27,110]},)"
               R"("env":["A=1","HSA_OVERRIDE_GFX_VERSION_1="],"x":1.10})");
    REQUIRE(exec.complete());
    CHECK(exec.text() ==
          R"({"args":["id"],"user":{"uid":1000,"gid":1000,"additionalGids":[27,110,109]},)"
          R"("env":["A=1","HSA_OVERRIDE_GFX_VERSION=10.3.0"],"x":1.10})");
    struct stat status {};
    REQUIRE(::stat(exec.file.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0640);

    SECTION("a second time changes nothing") {
        const std::string once = exec.text();
        REQUIRE(exec.complete());
        CHECK(exec.text() == once);
    }
}

TEST_CASE("exec: what its caller set stays, and its own group is not repeated") {
    Exec exec;
    exec.write(R"({"user":{"uid":0,"gid":109},"env":["HSA_OVERRIDE_GFX_VERSION=11.0.0"]})");
    REQUIRE(exec.complete());
    CHECK(exec.text() == R"({"user":{"uid":0,"gid":109,"additionalGids":[110]},)"
                         R"("env":["HSA_OVERRIDE_GFX_VERSION=11.0.0"]})");
}

TEST_CASE("exec: an empty value of its caller does not reach ROCm") {
    Exec exec;
    exec.write(R"({"user":{"uid":0,"gid":0},"env":["HSA_OVERRIDE_GFX_VERSION="]})");
    REQUIRE(exec.complete());
    CHECK(exec.text().find(R"("HSA_OVERRIDE_GFX_VERSION=10.3.0")") != std::string::npos);
    CHECK(exec.text().find(R"("HSA_OVERRIDE_GFX_VERSION=")") == std::string::npos);
}

TEST_CASE("exec: what is not a file of ours to change is left or refused") {
    Exec exec;
    SECTION("no file: the low-level runtime says so") { CHECK(exec.complete()); }
    SECTION("not JSON: the same") {
        exec.write("{");
        CHECK(exec.complete());
        CHECK(exec.text() == "{");
    }
    SECTION("nothing recorded: not even opened") {
        exec.record.env.clear();
        exec.record.additional_gids.clear();
        REQUIRE(::mkfifo(exec.file.c_str(), 0600) == 0);
        CHECK(exec.complete());
    }
    SECTION("a link") {
        const std::string target = exec.folder / "target";
        REQUIRE(sys::replace_file(target, "{}", {0600, ::geteuid(), ::getegid()}));
        REQUIRE(::symlink(target.c_str(), exec.file.c_str()) == 0);
        const Status refused = exec.complete();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::SpecUnreadable);
        CHECK(sys::read_regular_file(target, 16)->text == "{}");
    }
    SECTION("a FIFO") {
        REQUIRE(::mkfifo(exec.file.c_str(), 0600) == 0);
        CHECK_FALSE(exec.complete());
    }
    SECTION("sections of the wrong type") {
        exec.write(R"({"env":{},"user":{}})");
        const Status refused = exec.complete();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::SpecMalformed);
    }
}

TEST_CASE("exec: the record keeps what was given") {
    test::TempFolder state;
    Exec exec;
    exec.record.root = "/run/runc";
    exec.record.id = "c1";
    exec.record.runtime = {"/usr/sbin/runc", oci::RuntimeKind::Runc};
    REQUIRE(write_record(state.path(), exec.record));
    const auto found = find_record(state.path(), {"/run/runc"}, "c1");
    REQUIRE(found);
    REQUIRE(found->env.size() == 2);
    CHECK(found->env[0].name == "HSA_OVERRIDE_GFX_VERSION");
    CHECK(found->env[0].value == "10.3.0");
    CHECK_FALSE(found->env[1].value);
    REQUIRE(found->additional_gids.size() == 2);
    CHECK(found->additional_gids[1].gid == 110);
}
