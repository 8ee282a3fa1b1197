#include "app/runtime_choice.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;
using oci::RuntimeKind;

namespace {

void program(const test::TempFolder& folder, const std::string& name) {
    folder.file(name, "#!/bin/sh\n");
    ::chmod((folder / name).c_str(), 0755);
}

std::vector<std::string> paths_of(const std::vector<CandidateRoot>& roots) {
    std::vector<std::string> paths;
    for (const CandidateRoot& root : roots) paths.push_back(root.path);
    return paths;
}

}  // namespace

TEST_CASE("a runtime's kind is told by its name") {
    for (const auto& [path, kind] :
         {std::pair{"/usr/bin/crun", RuntimeKind::Crun}, {"/opt/crun-1.8/bin/runc", RuntimeKind::Runc},
          {"/opt/crun.real", RuntimeKind::Crun}, {"/usr/sbin/runc", RuntimeKind::Runc},
          {"youki", RuntimeKind::Runc}, {"crun", RuntimeKind::Crun}}) {
        CAPTURE(path);
        CHECK(kind_of(path) == kind);
    }
    CHECK(kind_by_name("/usr/bin/gantry-runc") == RuntimeKind::Runc);
    CHECK(kind_by_name("gantry-crun") == RuntimeKind::Crun);
    for (const char* name : {"gantry-runtime", "runc", "/gantry-crun/x", "gantry-crun2", ""}) {
        CAPTURE(name);
        CHECK_FALSE(kind_by_name(name));
    }
}

TEST_CASE("the first usable configured path is taken") {
    test::TempFolder folder;
    program(folder, "runc");
    program(folder, "crun");
    program(folder, "other-runc");
    folder.file("plain").folder("folder").link("link", "runc").link("dangling", "nowhere");
    folder.link("self", "/proc/self/exe");
    const struct {
        std::optional<RuntimeKind> kind;
        std::vector<std::string> configured;
        const char* expected;
    } cases[] = {
        {std::nullopt, {"runc", "crun"}, "runc"},
        {std::nullopt, {"crun", "runc"}, "crun"},
        {RuntimeKind::Crun, {"runc", "crun"}, "crun"},
        {RuntimeKind::Runc, {"crun", "other-runc", "runc"}, "other-runc"},
        {std::nullopt, {"nowhere", "plain", "folder", "dangling", "link"}, "link"},
        // Never this very program: it would execute itself for ever.
        {std::nullopt, {"self", "runc"}, "runc"},
    };
    for (const auto& row : cases) {
        std::vector<std::string> paths;
        for (const std::string& name : row.configured) paths.push_back(folder / name);
        const auto runtime = choose_runtime(row.kind, paths);
        REQUIRE(runtime);
        CHECK(runtime->path == folder / row.expected);
        CHECK(runtime->kind == kind_of(row.expected));
    }
}

TEST_CASE("without a configured one the usual folders are searched, then it is an error") {
    if (::geteuid() != 0) {
        WARN("not root: no chroot to a machine without runtimes");
        return;
    }
    test::TempFolder machine;
    machine.folder("usr/bin").folder("usr/local/bin");
    const auto choice = [&](std::optional<RuntimeKind> kind) {
        return test::in_child([&]() -> std::string {
            if (::chroot(machine.path().c_str()) != 0) return "no chroot";
            // A path list of the caller decides nothing.
            ::setenv("PATH", "/evil", 1);
            const auto runtime = choose_runtime(kind, {"/opt/runc"});
            return runtime ? runtime->path : runtime.error().text();
        });
    };
    machine.folder("evil");
    program(machine, "evil/runc");
    CHECK(choice(std::nullopt)
              .starts_with("GTY-110: no low-level runtime found: runc or crun is neither at "
                           "/opt/runc nor in the usual folders. Install runc or crun"));
    program(machine, "usr/bin/crun");
    CHECK(choice(std::nullopt) == "/usr/bin/crun");
    CHECK(choice(RuntimeKind::Crun) == "/usr/bin/crun");
    CHECK(choice(RuntimeKind::Runc).starts_with("GTY-110: no low-level runtime found: runc is"));
    program(machine, "usr/local/bin/runc");
    CHECK(choice(std::nullopt) == "/usr/local/bin/runc");
    CHECK(choice(RuntimeKind::Crun) == "/usr/bin/crun");
}

TEST_CASE("who owns a container is told by what is in its state folder") {
    test::TempFolder root;
    root.file("r/state.json").file("c/status").folder("nobody").file("both/state.json");
    root.file("both/status").file("state.json");
    const auto owner = [&](const char* id) { return owner_of(candidate_roots(root.path(), ""), id); };
    CHECK(owner("r") == RuntimeKind::Runc);
    CHECK(owner("c") == RuntimeKind::Crun);
    CHECK(owner("both") == RuntimeKind::Runc);
    for (const char* id : {"nobody", "missing", "", "x/../r"}) {
        CAPTURE(id);
        CHECK_FALSE(owner(id));
    }
    CHECK(owner_of(candidate_roots(root.path() + "/./r/..", ""), "r") == RuntimeKind::Runc);
}

TEST_CASE("each kind reads a root in its own way") {
    test::TempFolder folder;
    folder.folder("cwd").folder("deep/dir").folder("bundle").link("cwd/link", "../deep/dir");
    const auto roots = [&](const std::string& root) {
        return test::in_child([&]() -> std::string {
            if (::chdir((folder / "cwd/link").c_str()) != 0) return "no folder";
            std::string text;
            for (const std::string& found : paths_of(candidate_roots(root, "")))
                text += found.substr(folder.path().size()) + " ";
            text += effective_root(root, RuntimeKind::Runc, "", folder / "bundle")
                        .substr(folder.path().size());
            return text + " " + effective_root(root, RuntimeKind::Crun, "", folder / "bundle")
                                    .substr(folder.path().size());
        });
    };
    ::unsetenv("PWD");
    CHECK(roots(folder / "cwd/link") == "/deep/dir /deep/dir /deep/dir /deep/dir");
    CHECK(roots(folder / "cwd/link/../r") == "/cwd/r /deep/r /cwd/r /deep/r");
    // crun is in the bundle by the time that it creates a container.
    CHECK(roots("r") == "/deep/dir/r /deep/dir/r /deep/dir/r /bundle/r");
    CHECK(roots("../r") == "/deep/r /deep/r /deep/r /r");
    // Go believes $PWD where it names the same folder.
    ::setenv("PWD", (folder / "cwd/link").c_str(), 1);
    CHECK(roots("../r") == "/cwd/r /deep/r /cwd/r /r");
    ::setenv("PWD", (folder / "bundle").c_str(), 1);
    CHECK(roots("../r") == "/deep/r /deep/r /deep/r /r");
    // Only where the kind itself would look.
    folder.file("cwd/r/c1/status").file("deep/r/c2/status").file("cwd/r/c3/state.json");
    CHECK_FALSE(owner_of(candidate_roots(folder / "cwd/link/../r", ""), "c1"));
    CHECK(owner_of(candidate_roots(folder / "cwd/link/../r", ""), "c2") == RuntimeKind::Crun);
    CHECK(owner_of(candidate_roots(folder / "cwd/link/../r", ""), "c3") == RuntimeKind::Runc);
}

TEST_CASE("the state folders that count") {
    CHECK(paths_of(candidate_roots("/x//y/", "/run/user/5")) ==
          std::vector<std::string>{"/x/y", "/x/y"});
    CHECK(candidate_roots("rel", "").front().path.ends_with("/rel"));
    const auto of_nobody = [](const std::string& xdg) {
        return test::as_nobody([&] {
            std::string text = default_root(RuntimeKind::Runc, xdg);
            for (const std::string& root : paths_of(candidate_roots("", xdg))) text += " " + root;
            return text;
        });
    };
    CHECK(of_nobody("/run/user/5") == "/run/user/5/runc /run/user/5/runc /run/user/5/crun");
    CHECK(of_nobody("") == "/run/runc /run/runc /run/crun");
    if (::geteuid() != 0) return;
    CHECK(default_root(RuntimeKind::Crun, "/run/user/0") == "/run/crun");
    CHECK(paths_of(candidate_roots("", "")) == std::vector<std::string>{"/run/runc", "/run/crun"});
    // Rootless engines are uid 0 in a user namespace.
    CHECK(paths_of(candidate_roots("", "/run/user/5")) ==
          std::vector<std::string>{"/run/runc", "/run/user/5/runc", "/run/crun",
                                   "/run/user/5/crun"});
}
