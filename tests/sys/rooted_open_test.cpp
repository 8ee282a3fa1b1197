#include "sys/rooted_open.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

// The text behind a path, or the errno in angle brackets.
using Opener = UniqueFd (*)(int, const std::string&, int);

UniqueFd by_walk(int root, const std::string& path, int flags) {
    return walk_in_root(root, path, flags);
}

std::string content(Opener opener, int root, const std::string& path) {
    const UniqueFd fd = opener(root, path, O_RDONLY);
    if (!fd) return std::string("<") + ::strerrorname_np(errno) + ">";
    char buffer[64];
    const ssize_t size = ::read(fd.get(), buffer, sizeof buffer);
    if (size < 0) return std::string("<read ") + ::strerrorname_np(errno) + ">";
    return {buffer, static_cast<std::size_t>(size)};
}

}  // namespace

TEST_CASE("no path and no link leaves the root, with openat2 and without") {
    test::TempFolder outside;
    outside.file("secret", "outside");
    test::TempFolder tree;
    tree.file("etc/secret", "inside")
        .file("secret", "top")
        .link("absolute", "/etc/secret")
        .link("up", "../../../../../../etc/secret")
        .link("middle", "/etc")
        .link("etc/climb", "../..")
        .link("outside", outside.path() + "/secret")
        .link("chain", "middle/../absolute")
        .link("loop", "loop")
        .link("dangling", "nowhere")
        .file("a/b/c", "deep")
        .link("a/b/absolute", "/etc/secret");
    const UniqueFd root{::open(tree.path().c_str(), O_PATH | O_DIRECTORY)};
    REQUIRE(root);

    const struct {
        const char* path;
        const char* expected;
    } cases[] = {
        {"/etc/secret", "inside"},
        {"etc//./secret", "inside"},
        {"/../../secret", "top"},
        {"/absolute", "inside"},
        {"/up", "inside"},
        {"/middle/secret", "inside"},
        {"/middle/../secret", "top"},
        {"/etc/climb/secret", "top"},
        {"/a/b/../b/c", "deep"},
        {"/a/b/absolute", "inside"},
        {"/chain", "inside"},
        {"/outside", "<ENOENT>"},
        {"/dangling", "<ENOENT>"},
        {"/missing/secret", "<ENOENT>"},
        {"/secret/below", "<ENOTDIR>"},
        {"/secret/../secret", "<ENOTDIR>"},
        {"/loop", "<ELOOP>"},
        {"/etc", "<read EISDIR>"},
        {"/", "<read EISDIR>"},
        {"/etc/..", "<read EISDIR>"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        CHECK(content(open_in_root, root.get(), row.path) == row.expected);
        CHECK(content(by_walk, root.get(), row.path) == row.expected);
    }
}

TEST_CASE("flags mean the same with openat2 and without") {
    test::TempFolder tree;
    tree.file("file", "text").folder("folder").link("link", "file").link("to-folder", "folder");
    const UniqueFd root{::open(tree.path().c_str(), O_PATH | O_DIRECTORY)};
    const struct {
        const char* path;
        int flags;
        int expected;  // errno, 0: opened
    } cases[] = {
        {"/link", O_PATH | O_NOFOLLOW, 0},
        {"/link", O_RDONLY | O_NOFOLLOW, ELOOP},
        {"/file", O_PATH | O_DIRECTORY, ENOTDIR},
        {"/file", O_RDONLY | O_DIRECTORY, ENOTDIR},
        {"/file/", O_RDONLY, ENOTDIR},
        {"/to-folder", O_RDONLY | O_DIRECTORY, 0},
        {"/to-folder/", O_PATH | O_NOFOLLOW, 0},
    };
    for (const Opener opener : {Opener{open_in_root}, Opener{by_walk}})
        for (const auto& row : cases) {
            CAPTURE(row.path, row.flags, opener == by_walk);
            errno = 0;
            const bool opened = static_cast<bool>(opener(root.get(), row.path, row.flags));
            CHECK(opened == (row.expected == 0));
            if (!opened) CHECK(errno == row.expected);
        }
}
