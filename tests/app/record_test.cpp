#include "app/record.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "app/container_state.hpp"
#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;
using oci::RuntimeKind;

namespace {

Record record(const std::string& root, const std::string& id,
              const std::string& runtime = "/usr/bin/crun") {
    Record made;
    made.root = root;
    made.id = id;
    made.runtime = {runtime, kind_of(runtime)};
    made.bundle = "/bundle";
    made.gpus = {"AMD GPU 0 (X)"};
    made.verdict = "PASS";
    made.time = 1'700'000'000;
    return made;
}

std::string only_file(const test::TempFolder& state) {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(state / "containers")) {
        CHECK(found.empty());
        found = entry.path().string();
    }
    return found;
}

void age(const std::string& path, std::time_t seconds) {
    const std::time_t then = std::time(nullptr) - seconds;
    const utimbuf times{then, then};
    ::utime(path.c_str(), &times);
}

std::size_t count(const test::TempFolder& state) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(state / "containers"))
        files += entry.exists() || entry.is_symlink();
    return files;
}

}  // namespace

TEST_CASE("a record is found by root and id, and only there") {
    test::TempFolder state;
    CHECK_FALSE(find_record(state.path(), {"/run/runc"}, "a"));
    Record first = record("/run/runc", "a", "/usr/sbin/runc");
    first.gpus = {"AMD GPU 0 (\"X\")", "NVIDIA GPU 1 (Y)"};
    REQUIRE(write_record(state.path(), first));
    REQUIRE(write_record(state.path(), record("/run/crun", "a")));
    REQUIRE(write_record(state.path(), record("/run/crun", "b")));

    const auto found = find_record(state.path(), {"/run/runc"}, "a");
    REQUIRE(found);
    CHECK(found->root == "/run/runc");
    CHECK(found->id == "a");
    CHECK(found->runtime.path == "/usr/sbin/runc");
    CHECK(found->runtime.kind == RuntimeKind::Runc);
    CHECK(found->bundle == "/bundle");
    CHECK(found->gpus == first.gpus);
    CHECK(found->verdict == "PASS");
    CHECK(found->time == 1'700'000'000);

    CHECK(find_record(state.path(), {"/run/crun"}, "a")->runtime.kind == RuntimeKind::Crun);
    // The first of several roots that has one.
    CHECK(find_record(state.path(), {"/none", "/run/crun", "/run/runc"}, "a")->root == "/run/crun");
    for (const auto& [root, id] : {std::pair{"/run/runc", "b"}, {"/run", "runc/a"},
                                   {"/run/runc", ""}, {"/run/run", "ca"}, {"", "/run/runca"}}) {
        CAPTURE(root, id);
        CHECK_FALSE(find_record(state.path(), {root}, id));
    }
    CHECK_FALSE(find_record(state.path(), {}, "a"));
    remove_record(state.path(), *found);
    CHECK_FALSE(find_record(state.path(), {"/run/runc"}, "a"));
    CHECK(find_record(state.path(), {"/run/crun"}, "a"));
    remove_record(state.path(), *found);  // gone is gone
}

TEST_CASE("ids of any shape stay inside the state folder") {
    test::TempFolder state;
    state.file("outside", "x");
    for (const char* id : {"../outside", "a/b", "/etc/passwd", "..", "x y\n", "\"quoted\""}) {
        CAPTURE(id);
        REQUIRE(write_record(state.path(), record("/run/runc", id)));
        const auto found = find_record(state.path(), {"/run/runc"}, id);
        REQUIRE(found);
        CHECK(found->id == id);
        remove_record(state.path(), *found);
    }
    CHECK(state.text("outside") == "x");
    CHECK(count(state) == 0);
}

TEST_CASE("a second record of a container takes the first one's place") {
    test::TempFolder state;
    REQUIRE(write_record(state.path(), record("/r", "a", "/usr/bin/crun")));
    REQUIRE(write_record(state.path(), record("/r", "a", "/usr/sbin/runc")));
    CHECK(count(state) == 1);
    CHECK(find_record(state.path(), {"/r"}, "a")->runtime.path == "/usr/sbin/runc");
}

TEST_CASE("a file that is not wholly ours is no record") {
    test::TempFolder state;
    REQUIRE(write_record(state.path(), record("/r", "a")));
    const std::string path = only_file(state);
    struct stat status {};
    ::stat(path.c_str(), &status);
    CHECK((status.st_mode & 07777) == 0600);
    const std::string name = path.substr(state.path().size() + 1);
    const std::string whole = state.text(name);
    const std::size_t line_end = whole.find('\n');
    REQUIRE(line_end != std::string::npos);
    REQUIRE(find_record(state.path(), {"/r"}, "a"));

    const auto changed = [&](const char* key, const nlohmann::json& value) {
        nlohmann::json document = nlohmann::json::parse(whole.substr(0, line_end));
        if (value.is_discarded()) document.erase(key);
        else document[key] = value;
        return document.dump() + whole.substr(line_end);
    };
    const nlohmann::json discarded = nlohmann::json::parse("x", nullptr, false);
    std::vector<std::string> texts = {"", "{}", "[]", "null", "\"x\"", "{\"root\":", "\xff\xfe",
                                      std::string(140'000, ' ') + whole,
                                      std::string(60'000, '['),
                                      changed("root", "/other"), changed("id", "b"),
                                      changed("runtime", "crun"), changed("runtime", "../crun"),
                                      changed("runtime", ""), changed("runtime", 5)};
    for (const char* key : {"root", "id", "runtime", "bundle", "verdict", "boot"})
        texts.push_back(changed(key, discarded));
    for (std::size_t size = 0; size + 2 < whole.size(); size += 7)  // half-written
        if (size != line_end + 1) texts.push_back(whole.substr(0, size));
    // After a reboot the id is free, and its process another's.
    texts.push_back(changed("boot", "00000000-0000-0000-0000-000000000000"));
    for (const std::string& text : texts) {
        CAPTURE(text.substr(0, 100));
        state.file(name, text);
        CHECK_FALSE(find_record(state.path(), {"/r"}, "a"));
    }
    // Odd but whole: what is not needed is not looked at.
    state.file(name, changed("gpus", "none"));
    CHECK(find_record(state.path(), {"/r"}, "a"));
    state.file(name, changed("version", 99));
    CHECK(find_record(state.path(), {"/r"}, "a"));

    state.file(name, whole);
    for (const mode_t mode : {0620, 0602, 0666}) {  // others could have named the program
        CAPTURE(mode);
        ::chmod(path.c_str(), mode);
        CHECK_FALSE(find_record(state.path(), {"/r"}, "a"));
    }
    ::chmod(path.c_str(), 0644);
    CHECK(find_record(state.path(), {"/r"}, "a"));
    if (::geteuid() == 0) {
        REQUIRE(::chown(path.c_str(), 1000, 0) == 0);
        CHECK_FALSE(find_record(state.path(), {"/r"}, "a"));
    } else {
        WARN("not root: a record of another owner is not tried");
    }
    ::unlink(path.c_str());
    ::mkfifo(path.c_str(), 0600);
    CHECK_FALSE(find_record(state.path(), {"/r"}, "a"));  // and it does not block
}

TEST_CASE("a state folder that cannot be used is an error") {
    test::TempFolder state;
    state.file("file");
    for (const std::string& path : {state / "file", state / "file/below", std::string("/proc/gantry")}) {
        CAPTURE(path);
        const auto written = write_record(path, record("/r", "a"));
        REQUIRE(!written);
        CHECK(written.error().code == Code::StateUnusable);
        CHECK(written.error().text().find("o such file") == std::string::npos);
        CHECK_FALSE(find_record(path, {"/r"}, "a"));
        sweep_stale_records(path, 10);
    }
    state.folder("containers");
    ::chmod((state / "containers").c_str(), 0555);
    ::chmod(state.path().c_str(), 0755);
    CHECK(test::as_nobody([&] {
              const auto written = write_record(state.path(), record("/r", "a"));
              return written ? std::string("written") : to_string(written.error().code);
          }) == "GTY-131");
}

TEST_CASE("records of containers that are gone are swept, after a while and within bounds") {
    test::TempFolder state;
    state.folder("root/alive").file("root/odd", "");
    const auto write_aged = [&](const std::string& id, std::time_t seconds) {
        const auto before = state.snapshot();
        REQUIRE(write_record(state.path(), record(state / "root", id)));
        for (const auto& entry : std::filesystem::directory_iterator(state / "containers")) {
            const std::string name = entry.path().filename().string();
            if (std::ranges::none_of(before, [&](const std::string& line) {
                    return line.find(name) != std::string::npos;
                }))
                age(entry.path().string(), seconds);
        }
    };
    write_aged("alive", 10'000);
    write_aged("gone", 10'000);
    write_aged("young", 0);  // its container may be about to be made
    write_aged("../root/alive", 10'000);
    write_aged("..", 10'000);
    state.file("containers/0123.json", "half").file("containers/.0123.json.gantry-77", "killed");
    age(state / "containers/0123.json", 10'000);
    age(state / "containers/.0123.json.gantry-77", 10'000);
    CHECK(count(state) == 7);

    sweep_stale_records(state.path(), 0);
    CHECK(count(state) == 7);
    sweep_stale_records(state.path(), 100);
    CHECK(count(state) == 2);
    CHECK(find_record(state.path(), {state / "root"}, "alive"));
    CHECK(find_record(state.path(), {state / "root"}, "young"));

    for (int i = 0; i < 20; ++i) write_aged("gone" + std::to_string(i), 10'000);
    sweep_stale_records(state.path(), 5);
    CHECK(count(state) >= 17);
    sweep_stale_records(state.path(), 1000);
    CHECK(count(state) == 2);
    CHECK(state.has("root/alive"));
}

TEST_CASE("the record of an id that another kind of runtime has now is none") {
    test::TempFolder state;
    const std::string root = state / "root";
    REQUIRE(write_record(state.path(), record(root, "a", "/usr/bin/crun")));
    CHECK(find_record(state.path(), {root}, "a"));  // not made yet
    state.file("root/a/status", "{}");
    CHECK(find_record(state.path(), {root}, "a"));
    std::filesystem::remove(state / "root/a/status");
    state.file("root/a/state.json", "{}");
    CHECK_FALSE(find_record(state.path(), {root}, "a"));
    // A runtime of another name may keep what it wants.
    REQUIRE(write_record(state.path(), record(root, "a", "/usr/bin/crun-wrapper")));
    CHECK(find_record(state.path(), {root}, "a"));
    REQUIRE(write_record(state.path(), record(root, "a", "/usr/sbin/runc")));
    CHECK(find_record(state.path(), {root}, "a"));
}

TEST_CASE("a story of any size leaves the record readable") {
    test::TempFolder state;
    Story story;
    for (int i = 0; i < 5000; ++i) {
        story.reasons.push_back(std::string(900, 'r') + "\n\"\xff");
        story.warnings.push_back("w" + std::to_string(i));
    }
    REQUIRE(write_record(state.path(), record("/r", "a"), story));
    CHECK(find_record(state.path(), {"/r"}, "a"));
}
