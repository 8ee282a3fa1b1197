#include "sys/rootfs.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using gantry::sys::Rootfs;

namespace {

Rootfs open_rootfs(const std::string& path) {
    auto rootfs = Rootfs::open(path);
    if (!rootfs) throw std::runtime_error(rootfs.error().text());
    return std::move(*rootfs);
}

std::string content(const Rootfs& rootfs, const std::string& path) {
    const UniqueFd fd = rootfs.open_file(path);
    if (!fd) return "<none>";
    char buffer[64];
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    return {buffer, static_cast<std::size_t>(n > 0 ? n : 0)};
}

std::string missing(const std::string& root, const std::vector<std::string>& paths) {
    return join(open_rootfs(root).missing(paths), " ");
}

// Does what a low-level runtime does for a mount point, links followed.
void make_folder(const test::TempFolder& tree, const std::string& path) {
    std::filesystem::create_directories(tree.path() + path);
}

}  // namespace

TEST_CASE("a rootfs that is not there is an error that names it") {
    test::TempFolder tree;
    tree.file("file");
    for (const std::string name : {"nowhere", "file"}) {
        const auto rootfs = Rootfs::open(tree / name);
        REQUIRE(!rootfs);
        CHECK(rootfs.error().code == Code::SpecUnreadable);
        CHECK(rootfs.error().message.find(tree / name) != std::string::npos);
    }
}

TEST_CASE("what an image names is looked up inside the image, with openat2 and without") {
    test::TempFolder outside;
    outside.file("lib/secret", "host").folder("folder");
    test::TempFolder tree;
    tree.file("usr/lib/libx.so.1.2", "image")
        .link("lib", "usr/lib")
        .link("usr/lib/libx.so.1", "libx.so.1.2")
        .link("usr/lib/absolute.so", "/usr/lib/libx.so.1.2")
        .link("usr/lib/out.so", outside / "lib/secret")
        .link("usr/lib/climb.so", "../../../../../../../../.." + (outside / "lib/secret"))
        .link("out", outside.path())
        .link("proc-root", "/proc/self/root")
        .link("loop", "loop")
        .folder("empty");
    ::mkfifo((tree / "fifo").c_str(), 0600);

    const struct {
        const char* path;
        const char* expected;
    } cases[] = {
        {"/usr/lib/libx.so.1.2", "image"},
        {"usr/lib/libx.so.1.2", "image"},
        {"/lib/libx.so.1", "image"},
        {"/lib/absolute.so", "image"},
        {"/usr/lib/../lib/libx.so.1", "image"},
        {"/../../usr/lib/libx.so.1", "image"},
        {"/usr/lib/out.so", "<none>"},
        {"/usr/lib/climb.so", "<none>"},
        {"/out/lib/secret", "<none>"},
        {"/proc-root/etc/passwd", "<none>"},
        {"/loop", "<none>"},
        {"/empty", "<none>"},
        {"/fifo", "<none>"},  // and it must not block
        {"/nowhere", "<none>"},
    };
    const Rootfs rootfs = open_rootfs(tree.path());
    for (const auto& row : cases) {
        CAPTURE(row.path);
        CHECK(content(rootfs, row.path) == row.expected);
        CHECK(test::without_openat2([&] { return content(rootfs, row.path); }) == row.expected);
    }
    for (const auto& [path, expected] : {std::pair{"/lib", true}, {"/empty", true}, {"/", true},
                                         {"/lib/libx.so.1", false}, {"/out/folder", false},
                                         {"/out", false}, {"/nowhere", false}}) {
        CAPTURE(path);
        CHECK(rootfs.is_folder(path) == expected);
        CHECK(test::without_openat2([&, name = path] {
                  return rootfs.is_folder(name) ? "folder" : "";
              }) == (expected ? "folder" : ""));
    }
    CHECK(rootfs.list("/lib", 10) ==
          std::vector<std::string>{"absolute.so", "climb.so", "libx.so.1", "libx.so.1.2", "out.so"});
    CHECK(rootfs.list("/lib", 2).size() == 2);
    CHECK(rootfs.list("/out", 10).empty());
    CHECK(rootfs.list("/lib/libx.so.1", 10).empty());
}

TEST_CASE("missing mount points are found along links, with openat2 and without") {
    test::TempFolder outside;
    test::TempFolder tree;
    tree.folder("etc")
        .file("etc/hosts")
        .folder("usr/lib")
        .link("lib", "usr/lib")
        .link("dangling", "/made/here")
        .link("etc/resolv.conf", "../run/resolv.conf")
        .link("out", outside.path())
        .folder("b/c")
        .link("a", "/b/c")
        .link("b/c/d", "../e")  // of /a/d: /b/e, not /e
        .link("b/c/absolute", "/made/there")  // from the root again
        .link("loop", "/loop/x")
        .folder("proc");

    const struct {
        std::vector<std::string> paths;
        std::string expected;
    } cases[] = {
        {{"/"}, ""},
        {{"/proc", "/etc/hosts"}, ""},
        {{"/sys"}, "/sys"},
        {{"/dev/pts", "/dev", "/dev/shm"}, "/dev /dev/pts /dev/shm"},
        {{"/dev/dri/renderD128"}, "/dev /dev/dri /dev/dri/renderD128"},
        {{"/lib/libcuda.so.1"}, "/usr/lib/libcuda.so.1"},
        {{"/dangling"}, "/made /made/here"},
        {{"/dangling/below"}, "/made /made/here /made/here/below"},
        {{"/etc/resolv.conf"}, "/run /run/resolv.conf"},
        {{"/a/d"}, "/b/e"},
        {{"/a/absolute/x"}, "/made /made/there /made/there/x"},
        {{"/a/d/../f"}, "/b/e /b/f"},
        {{"/etc/hosts/below"}, ""},  // nobody can make that
        {{"/loop"}, ""},
        {{"/x/../y"}, "/x /y"},
        {{"/../../z"}, "/z"},
        {{"/out/folder"}, "/" + outside.path().substr(1, outside.path().find('/', 1) - 1)},
    };
    for (const auto& row : cases) {
        CAPTURE(row.paths);
        const std::string found = missing(tree.path(), row.paths);
        if (row.paths.front() == "/out/folder")  // a whole path inside the image
            CHECK(found.starts_with(row.expected + " "));
        else
            CHECK(found == row.expected);
        CHECK(test::without_openat2([&] { return missing(tree.path(), row.paths); }) == found);
    }
}

TEST_CASE("a folder that cannot be looked into is not taken for missing") {
    test::TempFolder tree;
    tree.folder("private/empty");
    ::chmod((tree / "private").c_str(), 0700);
    ::chmod(tree.path().c_str(), 0755);
    CHECK(test::as_nobody([&] { return missing(tree.path(), {"/private/empty", "/other"}); }) ==
          "/other");
}

TEST_CASE("the rootfs is as it was after the mount points are gone again") {
    test::TempFolder tree;
    tree.folder("etc")
        .file("etc/hostname", "image")
        .folder("var/empty")
        .folder("usr/lib")
        .link("lib", "usr/lib")
        .link("dangling", "/made/here")
        .link("run", "/var/run");
    const std::vector<std::string> before = tree.snapshot();
    const std::vector<std::string> paths = {
        "/proc",  "/sys",           "/dev",         "/dev/pts",          "/dev/null",
        "/etc/hosts", "/lib/libcuda.so.1", "/dangling", "/run/secrets/x", "/var/empty"};

    const auto make_everything = [&] {
        for (const char* folder : {"/proc", "/sys", "/dev/pts", "/made/here", "/var/run/secrets"})
            make_folder(tree, folder);
        for (const char* file : {"etc/hosts", "usr/lib/libcuda.so.1", "var/run/secrets/x"})
            tree.file(file);
        if (::mknod((tree / "dev/null").c_str(), S_IFCHR | 0666, (1 << 8) | 3) != 0)
            tree.file("dev/null");
        tree.link("dev/fd", "/proc/self/fd");
    };
    auto wanted = paths;
    wanted.emplace_back("/dev/fd");

    const Rootfs rootfs = open_rootfs(tree.path());
    const auto absent = rootfs.missing(wanted);
    make_everything();
    CHECK(tree.snapshot() != before);
    rootfs.remove_if_empty(absent);
    CHECK(tree.snapshot() == before);

    // Nothing made: nothing to remove, and no complaint.
    rootfs.remove_if_empty(absent);
    CHECK(tree.snapshot() == before);

    CHECK(test::without_openat2([&] {
              make_everything();
              rootfs.remove_if_empty(rootfs.missing({}));
              rootfs.remove_if_empty(absent);
              return tree.snapshot() == before ? "as before" : "changed";
          }) == "as before");
}

TEST_CASE("what holds something stays, and so does its folder") {
    test::TempFolder tree;
    const Rootfs rootfs = open_rootfs(tree.path());
    const auto absent = rootfs.missing({"/data/sub", "/file", "/gone"});
    tree.file("data/theirs", "text").folder("data/sub").file("file", "text").file("gone");
    rootfs.remove_if_empty(absent);
    CHECK(tree.has("data/theirs"));
    CHECK_FALSE(tree.has("data/sub"));
    CHECK(tree.text("file") == "text");
    CHECK_FALSE(tree.has("gone"));
}

TEST_CASE("a folder that became a link meanwhile leads nobody out") {
    test::TempFolder outside;
    outside.folder("victim");
    test::TempFolder tree;
    const Rootfs rootfs = open_rootfs(tree.path());
    const auto absent = rootfs.missing({"/mnt/victim"});
    tree.link("mnt", outside.path());
    rootfs.remove_if_empty(absent);
    CHECK(outside.has("victim"));
}
