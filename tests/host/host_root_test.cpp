#include "host/host_root.hpp"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "catch.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

namespace {

// Root reads any file; with another file system user id the modes count.
class AsNobody {
public:
    AsNobody() : old_(::setfsuid(65534)) {}
    ~AsNobody() { ::setfsuid(static_cast<uid_t>(old_)); }

private:
    int old_;
};

}  // namespace

TEST_CASE("a host root is a folder by an absolute path, and not / by another name") {
    test::TempTree tree;
    tree.file("/file");
    CHECK(HostRoot::open("/")->path() == "/");
    CHECK_FALSE(HostRoot::open("//./")->simulated());
    CHECK(HostRoot::open(tree.path() + "//.///")->path() == tree.path());
    CHECK(HostRoot::open(tree.path())->simulated());

    const struct {
        std::string path, words;
    } cases[] = {
        {"", "absolute"},
        {"relative", "absolute"},
        {tree.path() + "/..", "absolute path without .."},
        {tree.path() + "/missing", "ENOENT"},
        {tree.path() + "/file", "ENOTDIR"},
        {"/proc/self/root", "another name"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        const auto root = HostRoot::open(row.path);
        REQUIRE_FALSE(root);
        CHECK(root.error().code == Code::HostUnreadable);
        CHECK_THAT(root.error().message, Catch::Contains(row.words));
    }
}

TEST_CASE("what cannot be read is told by errno, never half a text and never a hang") {
    test::TempTree tree;
    tree.file("/small", "text").file("/empty").folder("/folder");
    tree.file("/binary", std::string("a\0b", 3)).file("/exact", std::string(5000, 'x'));
    REQUIRE(::mkfifo((tree.path() + "/fifo").c_str(), 0600) == 0);
    const HostRoot root = tree.root();
    CHECK(root.read("/small") == "text");
    CHECK(root.read("/empty") == "");
    CHECK(root.read("/binary") == std::string("a\0b", 3));
    CHECK(root.read("/exact", nullptr, 5000) == std::string(5000, 'x'));
    CHECK(root.read("/fifo") == "");

    int number = 0;
    CHECK_FALSE(root.read("/exact", &number, 4999));
    CHECK(number == EFBIG);
    CHECK_FALSE(root.read("/folder", &number));
    CHECK(number == EISDIR);
    CHECK_FALSE(root.read("/missing", &number));
    CHECK(number == ENOENT);
    // The kernel's own EIO: the first page of a process is never mapped.
    CHECK_FALSE(HostRoot::open("/")->read("/proc/self/mem", &number));
    CHECK(number == EIO);

    REQUIRE(::chmod((tree.path() + "/small").c_str(), 0) == 0);
    REQUIRE(::chmod(tree.path().c_str(), 0755) == 0);
    const AsNobody nobody;
    CHECK_FALSE(root.read("/small", &number));
    CHECK(number == EACCES);
}

TEST_CASE("folders are listed sorted, links told as they stand") {
    test::TempTree tree;
    tree.file("/d/b").file("/d/a").folder("/d/10").link("/d/2", "../x");
    const HostRoot root = tree.root();
    CHECK(root.list("/d") == std::vector<std::string>{"10", "2", "a", "b"});
    CHECK(root.list("/d/a").empty());
    CHECK(root.list("/missing").empty());
    CHECK(root.link_target("/d/2") == "../x");
    CHECK_FALSE(root.link_target("/d/a"));
    CHECK(root.exists("/d"));
    CHECK_FALSE(root.exists("/d/2"));  // leads nowhere
    CHECK(HostRoot::open("/")->link_target("/proc/self/exe"));
}

TEST_CASE("a mount source is the real file, in the words of the root") {
    test::TempTree tree;
    tree.file("/usr/lib/real.so", "x").link("/lib", "usr/lib").link("/opt/tool", "/lib/real.so");
    const HostRoot root = tree.root();
    CHECK(root.regular_file("/lib/real.so") == tree.path() + "/usr/lib/real.so");
    CHECK(root.regular_file("/opt/tool") == tree.path() + "/usr/lib/real.so");
    CHECK_FALSE(root.regular_file("/lib"));
    CHECK_FALSE(root.regular_file("/missing"));

    test::TempTree other;
    other.link("/alias", tree.path());
    const auto alias = HostRoot::open(other.path() + "/alias");
    REQUIRE(alias);
    CHECK(alias->regular_file("/lib/real.so") == other.path() + "/alias/usr/lib/real.so");
}

TEST_CASE("nodes.json lists device nodes, and only well formed") {
    test::TempTree tree;
    tree.node("/dev/kfd", 234, 0, 109).node("/dev/dri/renderD128", 226, 128, 110);
    tree.node("/dev/nvidia0", 195, 0).node("/dev/nvidia-caps/nvidia-cap1", 511, 1);
    tree.file("/dev/null-not", "a plain file").folder("/dev/dri/by-path");
    const HostRoot root = tree.root();
    const auto kfd = root.node("/dev/kfd");
    REQUIRE(kfd);
    CHECK(kfd->path == "/dev/kfd");
    CHECK((kfd->type == 'c' && kfd->major == 234 && kfd->minor == 0));
    CHECK((kfd->mode == 0660 && kfd->uid == 0 && kfd->gid == 109));
    CHECK_FALSE(root.node("/dev/null-not"));
    CHECK_FALSE(root.node("/dev/dri"));
    CHECK_FALSE(root.node("/dev/missing"));

    REQUIRE(root.nodes_in("/dev").size() == 2);  // not those in folders below
    CHECK(root.nodes_in("/dev")[0].path == "/dev/kfd");
    REQUIRE(root.nodes_in("/dev", "nvidia").size() == 1);
    CHECK(root.nodes_in("/dev/dri")[0].minor == 128);
    CHECK(root.nodes_in("/dev/nvidia-caps")[0].minor == 1);
}

TEST_CASE("a broken nodes.json is an error that names file, entry and member") {
    const std::string good =
        R"("path":"/dev/kfd","type":"c","major":234,"minor":0,"mode":"0660","uid":0,"gid":109)";
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return "[{" + text.replace(text.find(from), from.size(), to) + "}]";
    };
    const struct {
        std::string text, words;
    } cases[] = {
        {"", "is not JSON"},
        {"[", "is not JSON"},
        {"{}", "no JSON array"},
        {"[7]", "entry 0 is no object"},
        {"[{}]", "entry 0 lacks the member path"},
        {"[{" + good + "},{}]", "entry 1 lacks the member path"},
        {"[{" + good + "},{" + good + "}]", "/dev/kfd is listed twice"},
        {with("\"gid\":109", "\"gid\":109,\"group\":1"), "unknown member group"},
        {with(",\"gid\":109", ""), "lacks the member gid"},
        {with("/dev/kfd", "/etc/kfd"), "path is no clean absolute path"},
        {with("/dev/kfd", "/dev/../kfd"), "path is no clean absolute path"},
        {with("/dev/kfd", "/dev//kfd"), "path is no clean absolute path"},
        {with("\"c\"", "\"p\""), "type is neither"},
        {with("\"c\"", "1"), "type is no text"},
        {with("234", "-1"), "major is no number from 0 to 4095"},
        {with("234", "4096"), "major is no number"},
        {with("234", "2.5"), "major is no number"},
        {with("234", "\"234\""), "major is no number"},
        {with("\"minor\":0", "\"minor\":1048576"), "minor is no number"},
        {with("0660", "0668"), "mode is no octal text"},
        {with("0660", "17777"), "mode is no octal text"},
        {with("\"0660\"", "432"), "mode is no text"},
        {with("\"uid\":0", "\"uid\":4294967295"), "uid is no number"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.text);
        test::TempTree tree;
        tree.file("/nodes.json", row.text);
        const auto root = HostRoot::open(tree.path());
        REQUIRE_FALSE(root);
        CHECK(root.error().code == Code::HostUnreadable);
        CHECK_THAT(root.error().message, Catch::Contains(tree.path() + "/nodes.json"));
        CHECK_THAT(root.error().message, Catch::Contains(row.words));
    }
    test::TempTree tree;
    tree.folder("/nodes.json");
    REQUIRE_FALSE(HostRoot::open(tree.path()));
    CHECK_THAT(HostRoot::open(tree.path()).error().message, Catch::Contains("EISDIR"));
}

TEST_CASE("a real node counts unless nodes.json lists its path") {
    test::TempTree tree;
    tree.node("/dev/dri/renderD128", 226, 128, 109).folder("/dev/dri");
    const std::string folder = tree.path() + "/dev/dri/";
    if (::mknod((folder + "renderD128").c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0) {
        WARN("not tested: no right to make device nodes (" << errno_text(errno) << ")");
        return;
    }
    REQUIRE(::mknod((folder + "card1").c_str(), S_IFCHR | 0600, ::makedev(226, 1)) == 0);
    REQUIRE(::chmod((folder + "card1").c_str(), 0640) == 0);
    REQUIRE(::chown((folder + "card1").c_str(), 0, 44) == 0);
    const HostRoot root = tree.root();
    CHECK(root.node("/dev/dri/renderD128")->major == 226);
    const auto nodes = root.nodes_in("/dev/dri");
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[0].path == "/dev/dri/card1");
    CHECK((nodes[0].major == 226 && nodes[0].minor == 1));
    CHECK((nodes[0].mode == 0640 && nodes[0].gid == 44));
    CHECK(nodes[1].major == 226);
}
