#include "sys/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "catch.hpp"
#include "in_child.hpp"
#include "sys/private_mounts.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

std::string read_outcome(const std::string& path, std::size_t max_bytes) {
    errno = 0;
    const auto content = read_regular_file(path, max_bytes);
    return content ? content->text : std::string("<") + ::strerrorname_np(errno) + ">";
}

FileIdentity identity_of(const std::string& path) {
    struct stat status {};
    ::stat(path.c_str(), &status);
    return {status.st_mode & 07777U, status.st_uid, status.st_gid};
}

// Docker reads these as "command not found" and "not executable".
void check_words(const Error& error) {
    CAPTURE(error.text());
    CHECK(error.text().find("o such file") == std::string::npos);
    CHECK(error.text().find("ermission denied") == std::string::npos);
}

}  // namespace

TEST_CASE("only regular files of the allowed size are read, and nothing blocks") {
    test::TempFolder folder;
    folder.file("eight", "12345678").file("empty").folder("sub").link("link", "eight");
    ::mkfifo((folder / "fifo").c_str(), 0600);
    folder.link("zero", "/dev/zero").link("loop", "loop");
    folder.file("sparse");
    REQUIRE(::truncate((folder / "sparse").c_str(), off_t{1} << 40) == 0);

    const struct {
        const char* name;
        std::size_t max;
        const char* expected;
    } cases[] = {
        {"eight", 8, "12345678"}, {"eight", 7, "<EFBIG>"},  {"eight", 0, "<EFBIG>"},
        {"empty", 0, ""},         {"link", 8, "12345678"},  {"fifo", 8, "<EINVAL>"},
        {"zero", 8, "<EINVAL>"},  {"sub", 8, "<EISDIR>"},   {"nowhere", 8, "<ENOENT>"},
        {"loop", 8, "<ELOOP>"},   {"eight/x", 8, "<ENOTDIR>"}, {"sparse", 1024, "<EFBIG>"},
        {"sparse", std::size_t{1} << 24, "<EFBIG>"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.name, row.max);
        CHECK(read_outcome(folder / row.name, row.max) == row.expected);
    }
    // procfs files have size 0 and content all the same.
    CHECK(read_outcome("/proc/self/stat", 4096).find(')') != std::string::npos);
    CHECK(read_outcome("/proc/self/stat", 4) == "<EFBIG>");
}

TEST_CASE("a read file tells where it really is and whose it is") {
    test::TempFolder folder;
    folder.file("real/config.json", "{}").link("bundle", "real");
    ::chmod((folder / "real/config.json").c_str(), 0640);
    const auto content = read_regular_file(folder / "bundle/config.json", 100);
    REQUIRE(content);
    CHECK(content->real_path == folder / "real/config.json");
    CHECK(content->identity.mode == 0640);
    CHECK(content->identity.uid == ::geteuid());
}

TEST_CASE("a replaced file has the new text and the old mode and owner") {
    test::TempFolder folder;
    folder.file("config.json", "old");
    ::chmod((folder / "config.json").c_str(), 0604);
    if (::geteuid() == 0) REQUIRE(::chown((folder / "config.json").c_str(), 1234, 4321) == 0);
    const FileIdentity before = identity_of(folder / "config.json");
    REQUIRE(replace_file(folder / "config.json", "new text", before));
    CHECK(folder.text("config.json") == "new text");
    const FileIdentity after = identity_of(folder / "config.json");
    CHECK(after.mode == before.mode);
    CHECK(after.uid == before.uid);
    CHECK(after.gid == before.gid);
    CHECK(folder.snapshot().size() == 1);  // no temporary file beside it

    // A new file, under any umask.
    const mode_t umask_before = ::umask(0777);
    REQUIRE(replace_file(folder / "other", "", {0644, ::geteuid(), ::getegid()}));
    ::umask(umask_before);
    CHECK(identity_of(folder / "other").mode == 0644);
}

TEST_CASE("a link in the place of a file is replaced, its target is not touched") {
    test::TempFolder folder;
    folder.file("target", "theirs").link("config.json", "target");
    REQUIRE(replace_file(folder / "config.json", "ours", {0600, ::geteuid(), ::getegid()}));
    CHECK(folder.text("target") == "theirs");
    CHECK(folder.text("config.json") == "ours");
}

TEST_CASE("a write that fails leaves the old file and nothing else") {
    test::TempFolder folder;
    folder.file("config.json", "old").folder("config.json.d");
    const std::vector<std::string> before = folder.snapshot();
    const FileIdentity own{0644, ::geteuid(), ::getegid()};

    SECTION("the disk is full, or a limit is") {
        const std::string outcome = test::in_child([&] {
            const rlimit limit{4096, 4096};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            ::signal(SIGXFSZ, SIG_IGN);
            const auto written = replace_file(folder / "config.json", std::string(10000, 'x'), own);
            return written ? std::string("written") : written.error().text();
        });
        CHECK(outcome.starts_with("GTY-124: cannot write " + (folder / "config.json")));
        CHECK(outcome.find("EFBIG") != std::string::npos);
    }
    SECTION("the folder cannot be written to") {
        ::chmod(folder.path().c_str(), 0555);
        const std::string outcome = test::as_nobody([&] {
            const auto written = replace_file(folder / "config.json", "new", own);
            return written ? std::string("written") : written.error().text();
        });
        ::chmod(folder.path().c_str(), 0755);
        CHECK(outcome.starts_with("GTY-124: cannot create a new file beside "));
        CHECK(outcome.find("EACCES") != std::string::npos);
    }
    SECTION("a folder is in its place") {
        const auto written = replace_file(folder / "config.json.d", "new", own);
        REQUIRE(!written);
        CHECK(written.error().code == Code::SpecWrite);
        check_words(written.error());
    }
    SECTION("the folder is not there") {
        const auto written = replace_file(folder / "no/config.json", "new", own);
        REQUIRE(!written);
        check_words(written.error());
    }
    SECTION("the owner cannot be set") {
        const std::string outcome = test::as_nobody([&] {
            ::umask(0);
            const auto written = replace_file(folder / "config.json", "new", {0644, 0, 0});
            return written ? std::string("written") : "refused";
        });
        CHECK(outcome == "refused");
    }
    CHECK(folder.snapshot() == before);
    CHECK(folder.text("config.json") == "old");
}

TEST_CASE("a memory file is what was put in and nobody can change it") {
    const auto file = sealed_memory_file("check", std::string("program\0code", 12));
    REQUIRE(file);
    char text[32] = {};
    CHECK(::pread(file->get(), text, sizeof text, 0) == 12);
    CHECK(std::memcmp(text, "program\0code", 12) == 0);
    CHECK(::pwrite(file->get(), "x", 1, 0) == -1);
    CHECK(::ftruncate(file->get(), 0) == -1);
    CHECK(::ftruncate(file->get(), 100) == -1);
    CHECK(::mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, file->get(), 0) == MAP_FAILED);
    CHECK(::fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK) == -1);
    CHECK((::fcntl(file->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("folders are made with their parents, for the owner alone") {
    test::TempFolder folder;
    REQUIRE(make_folders(folder / "a/b/c"));
    CHECK(identity_of(folder / "a/b/c").mode == 0700);
    REQUIRE(make_folders(folder / "a//b/c/"));
    folder.file("file").link("link", "a");
    REQUIRE(make_folders(folder / "link/d"));
    CHECK(folder.has("a/d"));
    for (const std::string path : {"file", "file/below"}) {
        CAPTURE(path);
        const auto made = make_folders(folder / path);
        REQUIRE(!made);
        CHECK(made.error().code == Code::StateUnusable);
        CHECK(made.error().message.find("ENOTDIR") != std::string::npos);
    }
}

TEST_CASE("removing a tree follows no link and stays on its file system") {
    test::TempFolder outside;
    outside.file("kept", "kept");
    test::TempFolder folder;
    folder.file("tree/a/b/file", "x").link("tree/out", outside.path());
    folder.link("tree/a/up", "..").link("link", "tree");
    CHECK_FALSE(remove_tree(folder / "link"));  // a link is no folder of ours
    CHECK(folder.has("tree/a/b/file"));
    CHECK(remove_tree(folder / "tree"));
    CHECK_FALSE(folder.has("tree"));
    CHECK(outside.text("kept") == "kept");
    CHECK(remove_tree(folder / "tree"));  // gone is gone

    if (::geteuid() != 0) {
        WARN("not root: the mounted folder is not tried");
        return;
    }
    const std::string outcome = test::in_child([&]() -> std::string {
        folder.folder("tree/mounted").file("tree/file");
        if (!enter_private_mounts() || !mount_tmpfs(folder / "tree/mounted")) return "no mounts";
        folder.file("tree/mounted/theirs", "x");
        const bool whole = remove_tree(folder / "tree");
        return std::string(whole ? "whole " : "rest ") +
               (folder.has("tree/mounted/theirs") ? "theirs " : "") +
               (folder.has("tree/file") ? "file" : "");
    });
    CHECK(outcome == "rest theirs ");
}

TEST_CASE("paths are made absolute") {
    const std::string here = current_folder();
    const struct {
        const char* path;
        std::string expected;
    } cases[] = {
        {"/a//b/./c/../d/", "/a/b/d"}, {"/", "/"},       {"/..", "/"},
        {"/../../x", "/x"},            {".", here},      {"", here},
        {"x", here + "/x"},            {"./x/..", here}, {"/a/...", "/a/..."},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        CHECK(absolute_path(row.path) == row.expected);
    }
}

TEST_CASE("out of a folder behind a link the way is the kernel's") {
    test::TempFolder folder;
    folder.folder("cwd/b").folder("deep/b").folder("deep/dir").link("cwd/link", "../deep/dir");
    folder.link("top", "/").link("dangling", "nowhere/else").file("plain");
    const struct {
        const char *path, *absolute, *resolved;
    } cases[] = {
        {"cwd/link/../b", "deep/b", "deep/b"},
        {"cwd/link/../../cwd/b", "cwd/b", "cwd/b"},
        {"cwd/link/./..//b/x/y", "deep/b/x/y", "deep/b/x/y"},
        {"cwd/link", "cwd/link", "deep/dir"},
        {"cwd/link/new", "cwd/link/new", "deep/dir/new"},
        // Where nothing is, nobody can tell but by text.
        {"cwd/none/../b", "cwd/b", "cwd/b"},
        {"dangling/../cwd", "cwd", "cwd"},
        {"plain/../cwd", "cwd", "cwd"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        CHECK(absolute_path(folder / row.path) == folder / row.absolute);
        CHECK(resolved_path(folder / row.path) == folder / row.resolved);
    }
    CHECK(absolute_path(folder / "top/../nothing") == "/nothing");
    CHECK(resolved_path(folder / "top/nothing") == "/nothing");
    CHECK(resolved_path("/") == "/");
    CHECK(same_file(folder / "cwd/link", folder / "deep/dir"));
    CHECK_FALSE(same_file(folder / "cwd/b", folder / "deep/b"));
    CHECK(same_file("/gone", "/gone"));
    CHECK_FALSE(same_file("/gone", "/gone/too"));
}

TEST_CASE("an executable file is a regular file that may be run") {
    test::TempFolder folder;
    folder.file("plain").file("program").link("link", "program").folder("sub");
    ::chmod((folder / "program").c_str(), 0755);
    CHECK(is_executable_file(folder / "program"));
    CHECK(is_executable_file(folder / "link"));
    for (const std::string name : {"plain", "sub", "nowhere"}) {
        CAPTURE(name);
        CHECK_FALSE(is_executable_file(folder / name));
    }
}
