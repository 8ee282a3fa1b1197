#include "app/failure_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

Failure failure(const std::string& id) {
    Failure made;
    made.root = "/run/runc";
    made.id = id;
    made.bundle = "/bundle";
    made.runtime = "/usr/sbin/runc";
    made.verb = "create";
    made.error = {Code::SelectorUnknown, "AMD GPU \"7\" is not on this host", "Use one of: 0"};
    made.story.time = 1'700'000'000;
    made.story.pod = "shop/web";
    made.story.container = "server";
    made.story.gpus = {"AMD GPU 0 (X)"};
    made.story.steps = {{"request", 100}, {"plan", 2000}};
    made.story.reasons = {"node  /dev/kfd"};
    made.story.warnings = {"a warning"};
    made.story.summary = "2 nodes opened";
    return made;
}

std::vector<std::string> names(const test::TempFolder& state) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(state / "failures"))
        found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
}

}  // namespace

TEST_CASE("a failure is kept whole, for this user alone") {
    test::TempFolder state;
    keep_failure(state.path(), failure("web1"));
    REQUIRE(names(state).size() == 1);
    struct stat status {};
    REQUIRE(::stat((state / "failures/" + names(state)[0]).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
    REQUIRE(::stat((state / "failures").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);

    const auto kept = list_failures(state.path());
    REQUIRE(kept.size() == 1);
    const Failure& one = kept[0];
    CHECK(one.id == "web1");
    CHECK(one.root == "/run/runc");
    CHECK(one.bundle == "/bundle");
    CHECK(one.runtime == "/usr/sbin/runc");
    CHECK(one.verb == "create");
    CHECK(one.error.text() == failure("").error.text());
    CHECK(one.story.time == 1'700'000'000);
    CHECK(one.story.pod == "shop/web");
    CHECK(one.story.container == "server");
    CHECK(one.story.gpus == std::vector<std::string>{"AMD GPU 0 (X)"});
    REQUIRE(one.story.steps.size() == 2);
    CHECK(one.story.steps[1].name == "plan");
    CHECK(one.story.microseconds() == 2100);
    CHECK(one.story.reasons == std::vector<std::string>{"node  /dev/kfd"});
    CHECK(one.story.warnings == std::vector<std::string>{"a warning"});
    CHECK(one.story.summary == "2 nodes opened");
}

TEST_CASE("the newest failures are kept, newest first") {
    test::TempFolder state;
    for (int i = 0; i < 100; ++i) keep_failure(state.path(), failure(std::to_string(i)));
    CHECK(names(state).size() == kMostFailures);
    const auto kept = list_failures(state.path());
    REQUIRE(kept.size() == kMostFailures);
    CHECK(kept.front().id == "99");
    CHECK(kept.back().id == std::to_string(100 - kMostFailures));
    // What others put there does not keep the newest out, nor does it stay.
    for (int i = 0; i < 200; ++i) state.file("failures/0" + std::to_string(i), "x");
    keep_failure(state.path(), failure("newest"));
    CHECK(names(state).size() == kMostFailures);
    CHECK(list_failures(state.path()).front().id == "newest");
}

TEST_CASE("files that are not wholly ours are left out") {
    test::TempFolder state;
    keep_failure(state.path(), failure("a"));
    const std::string name = "failures/" + names(state)[0];
    const std::string whole = state.text(name);
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("[]"), std::string("{\"code\":1}"),
          std::string("{\"code\":-5,\"story\":{}}"), std::string("{\"code\":202,\"story\":5}"),
          whole.substr(0, whole.size() / 2), std::string(70'000, '['), std::string(200'000, ' ')}) {
        CAPTURE(text.substr(0, 40));
        state.file(name, text);
        CHECK(list_failures(state.path()).empty());
    }
    state.file(name, whole);
    CHECK(list_failures(state.path()).size() == 1);
    std::filesystem::rename(state / name, state / "kept");
    state.link(name, state / "kept");
    CHECK(list_failures(state.path()).empty());
    std::filesystem::remove(state / name);
    ::mkfifo((state / name).c_str(), 0600);
    CHECK(list_failures(state.path()).empty());  // and it does not block
    CHECK(list_failures(state / "absent").empty());
}

TEST_CASE("where a failure cannot be kept nothing happens") {
    test::TempFolder state;
    state.file("file").folder("target");
    keep_failure(state / "file", failure("a"));
    keep_failure("/proc/gantry", failure("a"));
    state.link("failures", state / "target");
    keep_failure(state.path(), failure("a"));
    CHECK(std::filesystem::is_empty(state / "target"));  // least of all through a link
    test::TempFolder open;
    open.folder("failures");
    ::chmod((open / "failures").c_str(), 0777);
    keep_failure(open.path(), failure("a"));
    CHECK(std::filesystem::is_empty(open / "failures"));
    ::chmod((open / "failures").c_str(), 0555);
    ::chmod(open.path().c_str(), 0755);
    CHECK(test::as_nobody([&] {
              keep_failure(open.path(), failure("a"));
              return std::string("went on");
          }) == "went on");
}
