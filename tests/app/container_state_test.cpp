#include "app/container_state.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

constexpr std::int64_t kTime = 1'700'000'000;  // 2023-11-14T22:13:20Z

Record record(const std::string& root) {
    Record made;
    made.root = root;
    made.id = "a";
    made.runtime = {"/usr/sbin/runc", oci::RuntimeKind::Runc};
    made.bundle = "/bundle";
    made.time = kTime;
    return made;
}

std::string start_time_of(pid_t pid) {
    std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
    std::ostringstream text;
    text << stream.rdbuf();
    const std::string stat = text.str();
    return std::string(split(stat.substr(stat.rfind(") ") + 2), ' ')[19]);
}

// One state file and what is told of it.
struct Told {
    bool exists, runs, another, live;
};
Told told(const char* file, const std::string& text) {
    test::TempFolder root;
    root.folder("a");
    if (*file) root.file(std::string("a/") + file, text);
    const Record made = record(root.path());
    return {container_exists(made), container_runs(made), container_is_another(made),
            container_is_live(made)};
}

std::string runc_state(const std::string& pid, const std::string& bundle = "/bundle",
                       const std::string& created = "2023-11-14T22:13:21.123456789Z",
                       const std::string& start = "0") {
    return R"({"id":"a","init_process_pid":)" + pid + R"(,"init_process_start":)" + start +
           R"(,"created":")" + created + R"(","config":{"labels":["x=y","bundle=)" + bundle +
           R"("]}})";
}

std::string crun_status(const std::string& pid, const std::string& bundle = "/bundle",
                        const std::string& created = "2023-11-14T22:13:21.123456Z") {
    return R"({"pid":)" + pid + R"(,"bundle":")" + bundle + R"(","created":")" + created + R"("})";
}

// No process has so high a number (PID_MAX_LIMIT).
const std::string kNoProcess = "4194305";

}  // namespace

TEST_CASE("a container runs while the process that its runtime names is alive") {
    const std::string self = std::to_string(::getpid());
    CHECK(told("state.json", R"({"init_process_pid":)" + self + "}").runs);
    CHECK(told("status", R"({"pid":)" + self + "}").runs);
    CHECK_FALSE(told("status", R"({"pid":)" + kNoProcess + "}").runs);
    CHECK_FALSE(told("state.json", "half").runs);
    CHECK_FALSE(told("", "").runs);
    test::TempFolder empty;
    CHECK_FALSE(container_runs(record(empty.path())));

    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    CHECK_FALSE(told("status", R"({"pid":)" + std::to_string(child) + "}").runs);  // a zombie
    ::waitpid(child, nullptr, 0);
}

TEST_CASE("a process number that was given to another process is not the container's") {
    const std::string self = std::to_string(::getpid()), start = start_time_of(::getpid());
    CHECK(told("state.json", runc_state(self, "/bundle", "2023-11-14T22:13:21Z", start)).runs);
    CHECK_FALSE(told("state.json", runc_state(self, "/bundle", "2023-11-14T22:13:21Z", start + "1")).runs);
}

TEST_CASE("a container lives if it is the record's and its process is alive") {
    const std::string self = std::to_string(::getpid());
    CHECK(told("state.json", runc_state(self)).live);
    CHECK(told("status", crun_status(self)).live);
    CHECK_FALSE(told("state.json", runc_state(kNoProcess)).live);
    CHECK_FALSE(told("", "").live);
    // The id was used again: from another bundle, or at another time.
    for (const Told& again :
         {told("state.json", runc_state(self, "/other")), told("status", crun_status(self, "/other")),
          told("state.json", runc_state(self, "/bundle", "2023-11-14T23:13:21Z")),
          told("status", crun_status(self, "/bundle", "2023-11-13T22:13:21Z"))}) {
        CHECK(again.exists);
        CHECK(again.runs);
        CHECK(again.another);
        CHECK_FALSE(again.live);
    }
    // What cannot be told is no contradiction.
    for (const char* created : {"", "yesterday", "2023-11-14T23:13:21+09:00"}) {
        CAPTURE(created);
        CHECK(told("state.json", runc_state(self, "/bundle", created)).live);
    }
    CHECK_FALSE(told("state.json", "half").another);
}

TEST_CASE("ids that are a path are nobody's") {
    test::TempFolder root;
    root.folder("a/b");
    for (const char* id : {"", ".", "..", "a/b", "/"}) {
        CAPTURE(id);
        Record made = record(root.path());
        made.id = id;
        CHECK_FALSE(container_exists(made));
        CHECK_FALSE(container_is_live(made));
    }
}

TEST_CASE("the boot has an id") { CHECK(boot_id().size() == 36); }
