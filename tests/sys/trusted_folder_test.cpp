#include "sys/trusted_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

// "" or the folder that the descriptor leads to.
std::string opened(const std::string& path) {
    const UniqueFd folder = open_trusted_folder(path);
    if (!folder) return "";
    char real[4096];
    const ssize_t n =
        ::readlink(("/proc/self/fd/" + std::to_string(folder.get())).c_str(), real, sizeof real);
    return n > 0 ? std::string(real, static_cast<std::size_t>(n)) : "";
}

}  // namespace

TEST_CASE("a folder is opened as by open(2), links of root's and one's own included") {
    test::TempFolder folder;
    folder.folder("a/b").file("file").link("absolute", folder / "a").link("a/up", "../a/./b");
    folder.link("loop", "loop").link("chain", "absolute/up");
    CHECK(opened(folder / "a/b") == folder / "a/b");
    CHECK(opened(folder / "a//b/") == folder / "a/b");
    CHECK(opened(folder / "absolute/b") == folder / "a/b");
    CHECK(opened(folder / "a/up") == folder / "a/b");
    CHECK(opened(folder / "chain") == folder / "a/b");
    CHECK(opened("/") == "/");
    CHECK(opened(folder / "nowhere").empty());
    CHECK(errno == ENOENT);
    CHECK(opened(folder / "file").empty());
    CHECK(errno == ENOTDIR);
    CHECK(opened(folder / "loop").empty());
    CHECK(errno == ELOOP);
}

TEST_CASE("another user's link leads nowhere") {
    if (::geteuid() != 0) {
        WARN("not root: links of another owner are not tried");
        return;
    }
    test::TempFolder folder;
    folder.folder("target/below").link("foreign", "target").link("own", "foreign");
    REQUIRE(::lchown((folder / "foreign").c_str(), 1234, 1234) == 0);
    for (const char* path : {"foreign", "foreign/below", "own/below"}) {
        CAPTURE(path);
        CHECK(opened(folder / path).empty());
        CHECK(errno == ELOOP);
    }
    CHECK(opened(folder / "target/below") == folder / "target/below");
}
