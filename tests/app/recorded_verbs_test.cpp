#include "app/recorded_verbs.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

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
        return complete_exec(record, arguments);
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
    SECTION("no object: the low-level runtime says so") {
        for (const char* text : {"[]", "1", "\"x\"", "null", "", "{\"env\":["}) {
            CAPTURE(text);
            exec.write(text);
            CHECK(exec.complete());
            CHECK(exec.text() == text);
        }
    }
    SECTION("a device, a folder") {
        REQUIRE(::symlink("/dev", (exec.folder / "dev").c_str()) == 0);
        exec.file = exec.folder / "dev/zero";
        CHECK_FALSE(exec.complete());
        exec.file = exec.folder.path();
        CHECK_FALSE(exec.complete());
    }
    SECTION("larger than any engine writes") {
        exec.write(R"({"env":[")" + std::string(20U << 20, 'x') + "\"]}");
        const Status refused = exec.complete();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.starts_with(exec.file));
    }
    SECTION("nested as nothing real is") {
        const std::string text = "{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
        exec.write(text);
        const Status refused = exec.complete();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::SpecTooDeep);
        CHECK(exec.text() == text);
    }
    SECTION("a folder behind another user's link") {
        if (::geteuid() != 0) {
            WARN("not root: a link of another owner is not tried");
            return;
        }
        exec.write("{}");
        REQUIRE(::symlink(".", (exec.folder / "link").c_str()) == 0);
        REQUIRE(::lchown((exec.folder / "link").c_str(), 1234, 1234) == 0);
        const std::string direct = std::exchange(exec.file, exec.folder / "link/process.json");
        const Status refused = exec.complete();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::SpecUnreadable);
        exec.file = direct;
        CHECK(exec.text() == "{}");
    }
    SECTION("another user's file stays that user's") {
        if (::geteuid() != 0) return;
        REQUIRE(sys::replace_file(exec.file, "{}", {0640, 1234, 1235}));
        REQUIRE(exec.complete());
        struct stat status {};
        REQUIRE(::stat(exec.file.c_str(), &status) == 0);
        CHECK((status.st_uid == 1234 && status.st_gid == 1235));
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
    exec.record.device_rules = {{"", 'c', 226, 128, 0, 0, 0, "rw", true, true, ""}};
    REQUIRE(write_record(state.path(), exec.record));
    const auto found = find_record(state.path(), {"/run/runc"}, "c1");
    REQUIRE(found);
    REQUIRE(found->env.size() == 2);
    CHECK(found->env[0].name == "HSA_OVERRIDE_GFX_VERSION");
    CHECK(found->env[0].value == "10.3.0");
    CHECK_FALSE(found->env[1].value);
    REQUIRE(found->additional_gids.size() == 2);
    CHECK(found->additional_gids[1].gid == 110);
    REQUIRE(found->device_rules.size() == 1);
    CHECK(found->device_rules[0].type == 'c');
    CHECK(found->device_rules[0].major == 226);
    CHECK(found->device_rules[0].minor == 128);
    CHECK(found->device_rules[0].permissions == "rw");
}

TEST_CASE("update: a device list of its own keeps the GPU") {
    Exec update;
    update.record.device_rules = {{"", 'c', 226, 128, 0, 0, 0, "rw", true, true, ""}};
    const auto complete = [&](const std::string& text) {
        update.write(text);
        oci::RuntimeArgv arguments;
        arguments.verb = "update";
        arguments.resources_file = update.file;
        REQUIRE(complete_update(update.record, arguments));
        return update.text();
    };
    CHECK(complete(R"({"devices":[{"allow":false,"access":"rwm"}],"memory":{"limit":-1}})") ==
          R"({"devices":[{"allow":false,"access":"rwm"},)"
          R"({"allow":true,"type":"c","major":226,"minor":128,"access":"rw"}],"memory":{"limit":-1}})");
    // Without a list of its own nothing is replaced, so nothing is added.
    for (const char* same : {R"({"memory":{"limit":64}})", R"({"devices":null})", "{}", "no JSON"})
        CHECK(complete(same) == same);
}

TEST_CASE("update: standard input is put back whole, completed or not") {
    for (const auto& [given, expected] :
         {std::pair{R"({"devices":[]})",
                    R"({"devices":[{"allow":true,"type":"c","major":1,"minor":2,"access":"rw"}]})"},
          {"no JSON", "no JSON"}}) {
        CAPTURE(given);
        int in[2], out[2];
        REQUIRE(::pipe(in) == 0);
        REQUIRE(::pipe(out) == 0);
        REQUIRE(::write(in[1], given, std::strlen(given)) > 0);
        ::close(in[1]);
        // In a child: standard input is this process's too.
        const pid_t child = ::fork();
        if (child == 0) {
            ::dup2(in[0], 0);
            Record record;
            record.device_rules = {{"", 'c', 1, 2, 0, 0, 0, "rw", true, true, ""}};
            oci::RuntimeArgv arguments;
            arguments.verb = "update";
            arguments.resources_file = "-";
            char buffer[512];
            const bool done = complete_update(record, arguments).has_value();
            const ssize_t n = done ? ::read(0, buffer, sizeof buffer) : 0;
            ::_exit(n > 0 && ::write(out[1], buffer, static_cast<std::size_t>(n)) == n ? 0 : 1);
        }
        ::close(out[1]);
        char buffer[512];
        const ssize_t n = ::read(out[0], buffer, sizeof buffer);
        CHECK(std::string(buffer, static_cast<std::size_t>(n > 0 ? n : 0)) == expected);
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
        ::close(in[0]);
        ::close(out[0]);
    }
}
