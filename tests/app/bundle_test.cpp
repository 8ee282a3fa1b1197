#include "app/bundle.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <random>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

const std::string kOriginal = "{ \"a\": 1.10 }\n";
const std::string kEdited = R"({"a":1.10,"linux":{}})";
const std::string kOther = R"({"a":1.10,"linux":{"devices":[]}})";

BundleSpec read(const std::string& path) {
    auto spec = read_bundle_spec(path);
    if (!spec) throw std::runtime_error("cannot read " + path);
    return std::move(*spec);
}

}  // namespace

TEST_CASE("an edit keeps its original beside it, and a second create starts from that") {
    test::TempFolder bundle;
    bundle.file("config.json", kOriginal);
    const std::string path = bundle / "config.json";
    BundleSpec spec = read(path);
    CHECK(spec.original() == kOriginal);
    CHECK(spec.current == kOriginal);
    CHECK(spec.kept_original.empty());

    REQUIRE(write_bundle_spec(spec, kEdited));
    CHECK(bundle.text("config.json") == kEdited);
    CHECK(bundle.snapshot().size() == 2);

    // The same again: same result, nothing written.
    const auto before = bundle.snapshot();
    struct stat first {}, second {};
    ::stat(path.c_str(), &first);
    spec = read(path);
    CHECK(spec.original() == kOriginal);
    CHECK(spec.current == kEdited);
    REQUIRE(write_bundle_spec(spec, kEdited));
    ::stat(path.c_str(), &second);
    CHECK(first.st_ino == second.st_ino);
    CHECK(bundle.snapshot() == before);

    // Another host, another edit: from the same original, and no second copy.
    REQUIRE(write_bundle_spec(read(path), kOther));
    CHECK(bundle.text("config.json") == kOther);
    CHECK(read(path).original() == kOriginal);
    CHECK(bundle.snapshot().size() == 2);

    // No request any more: every byte of the original is back, the copy gone.
    spec = read(path);
    REQUIRE(write_bundle_spec(spec, spec.original()));
    CHECK(bundle.text("config.json") == kOriginal);
    CHECK(bundle.snapshot().size() == 1);
}

TEST_CASE("no edit touches nothing") {
    test::TempFolder bundle;
    bundle.file("config.json", kOriginal);
    const std::string path = bundle / "config.json";
    struct stat first {}, second {};
    ::stat(path.c_str(), &first);
    REQUIRE(write_bundle_spec(read(path), kOriginal));
    ::stat(path.c_str(), &second);
    CHECK(first.st_ino == second.st_ino);
    CHECK(first.st_mtim.tv_nsec == second.st_mtim.tv_nsec);
    CHECK(bundle.snapshot().size() == 1);
}

TEST_CASE("an edit that somebody else changed is an original of its own") {
    test::TempFolder bundle;
    bundle.file("config.json", kOriginal);
    const std::string path = bundle / "config.json";
    REQUIRE(write_bundle_spec(read(path), kEdited));
    bundle.file("config.json", kEdited + " ");
    CHECK(read(path).original() == kEdited + " ");
    CHECK(read(path).kept_original.empty());
}

TEST_CASE("texts of every length have a name of their own") {
    test::TempFolder bundle;
    std::vector<std::string> texts = {"", "1", "12345678", "123456781", std::string(8, '\0'),
                                      std::string(9, '\0'), std::string(16, '\0'),
                                      "ab", "ba", "abcdefgh12345678", "12345678abcdefgh"};
    for (const std::string& text : texts) {
        bundle.file("config.json", "original");
        REQUIRE(write_bundle_spec(read(bundle / "config.json"), text));
        CHECK(read(bundle / "config.json").original() == "original");
    }
    CHECK(bundle.snapshot().size() == texts.size() + 1);
}

TEST_CASE("a bundle that is a link, and a config that is one, are edited where they are") {
    test::TempFolder bundle;
    bundle.file("real/config.json", kOriginal).link("bundle", "real");
    bundle.folder("other").link("other/config.json", "../real/config.json");
    ::chmod((bundle / "real/config.json").c_str(), 0640);

    REQUIRE(write_bundle_spec(read(bundle / "bundle/config.json"), kEdited));
    CHECK(bundle.text("real/config.json") == kEdited);
    CHECK(std::filesystem::is_symlink(bundle / "bundle"));
    // By the other name: the same edit is met.
    const BundleSpec spec = read(bundle / "other/config.json");
    CHECK(spec.original() == kOriginal);
    REQUIRE(write_bundle_spec(spec, kOther));
    CHECK(bundle.text("real/config.json") == kOther);
    CHECK(std::filesystem::is_symlink(bundle / "other/config.json"));
    CHECK(bundle.snapshot().size() == 6);  // and one kept original
    struct stat status {};
    ::stat((bundle / "real/config.json").c_str(), &status);
    CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("what cannot be read tells why") {
    test::TempFolder bundle;
    bundle.folder("config.json");
    errno = 0;
    CHECK_FALSE(read_bundle_spec(bundle / "config.json"));
    CHECK(errno == EISDIR);
    CHECK_FALSE(read_bundle_spec(bundle / "nowhere/config.json"));
    CHECK(errno == ENOENT);
    bundle.file("sparse");
    REQUIRE(::truncate((bundle / "sparse").c_str(), off_t{1} << 35) == 0);
    CHECK_FALSE(read_bundle_spec(bundle / "sparse"));
    CHECK(errno == EFBIG);
    bundle.file("limit", std::string(kMaxSpecBytes, ' '));
    CHECK(read_bundle_spec(bundle / "limit"));
    bundle.file("limit", std::string(kMaxSpecBytes + 1, ' '));
    CHECK_FALSE(read_bundle_spec(bundle / "limit"));
}

TEST_CASE("a failed write leaves the bundle as it was") {
    test::TempFolder bundle;
    bundle.file("config.json", kOriginal);
    const std::string path = bundle / "config.json";
    std::string start = kOriginal;
    SECTION("from the original") {}
    SECTION("from an earlier edit") {
        REQUIRE(write_bundle_spec(read(path), kEdited));
        start = kEdited;
    }
    const auto before = bundle.snapshot();
    SECTION("a limit on file sizes") {
        CHECK(test::in_child([&] {
                  ::signal(SIGXFSZ, SIG_IGN);
                  const rlimit limit{64, 64};
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  const auto written = write_bundle_spec(read(path), std::string(4096, 'x'));
                  return written ? std::string("written") : to_string(written.error().code);
              }) == "GTY-124");
    }
    SECTION("a read-only folder") {
        ::chmod(bundle.path().c_str(), 0555);
        for (const auto& entry : std::filesystem::directory_iterator(bundle.path()))
            ::chmod(entry.path().c_str(), 0644);
        CHECK(test::as_nobody([&] {
                  const auto written = write_bundle_spec(read(path), kOther);
                  return written ? std::string("written") : to_string(written.error().code);
              }) == "GTY-124");
        ::chmod(bundle.path().c_str(), 0755);
    }
    CHECK(bundle.snapshot() == before);
    CHECK(bundle.text("config.json") == start);
    CHECK(read(path).original() == kOriginal);
}

TEST_CASE("a kill at any instant leaves the old or the new file, and an edit its original") {
    test::TempFolder bundle;
    // Large enough that a write in place would be caught half-way.
    const std::string original = "{\"a\":\"" + std::string(200'000, 'o') + "\"}";
    const std::string edited = "{\"a\":\"" + std::string(300'000, 'e') + "\"}";
    bundle.file("config.json", original);
    const std::string path = bundle / "config.json";
    std::mt19937 random(20240607);
    int seen_edited = 0, seen_original = 0;
    for (int round = 0; round < 100; ++round) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0)
            for (bool edit = round % 2 == 0;; edit = !edit)
                if (!write_bundle_spec(read(path), edit ? edited : original)) ::_exit(1);
        ::usleep(static_cast<useconds_t>(random() % 25000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        REQUIRE(WIFSIGNALED(status));

        const BundleSpec spec = read(path);
        const bool whole = spec.current == edited || spec.current == original;
        REQUIRE(whole);
        REQUIRE(spec.original() == original);
        ++(spec.current == edited ? seen_edited : seen_original);
    }
    CHECK(seen_edited > 0);
    CHECK(seen_original > 0);
}
