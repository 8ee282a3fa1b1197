#include "plan/warnings.hpp"

#include "base/text.hpp"
#include "catch.hpp"
#include "spec_parts.hpp"

using namespace gantry;
using namespace gantry::plan;
using test::SpecParts;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string warned(const SpecParts& parts, const ResourceFacts& facts = {},
                   const WarningSwitches& switches = {}) {
    return join(resource_warnings(parts.view(), facts, switches, true, false), "|");
}

SpecParts with_shm(const std::string& type, const std::string& options) {
    SpecParts parts;
    parts.mounts = R"(,{"destination":"/dev/shm/","type":")" + type +
                   R"(","source":"shm","options":[)" + options + "]}";
    return parts;
}

std::string shm_of(const std::string& options) { return warned(with_shm("tmpfs", options)); }

}  // namespace

TEST_CASE("a small /dev/shm is warned of, with the options that help") {
    CHECK(shm_of(R"("nosuid","size=65536k")") ==
          "/dev/shm has only 64 MiB: data loaders and RCCL end with a bus error when it is full; "
          "add --shm-size=8g or --ipc=host");
    for (const char* small : {"\"size=67108864\"", "\"size=64m\"", "\"size=64000K\"",
                              "\"size=1g\",\"size=1M\"", "\"size=16k\""})
        CHECK_FALSE(shm_of(small).empty());
    for (const char* fine : {"\"size=67108865\"", "\"size=65m\"", "\"size=8G\"", "\"size=50%\"",
                             "\"size=\"", "\"size=x\"", "\"size=64m\",\"size=2g\"",
                             "\"size=99999999999999999999g\"", "\"nosuid\"", ""}) {
        CAPTURE(fine);
        CHECK(shm_of(fine).empty());
    }
    CHECK(warned({}).empty());
    CHECK(warned(with_shm("tmpfs", "\"size=64m\""), {}, {.shm = false}).empty());
}

TEST_CASE("of a /dev/shm that the engine binds, the size of what is bound counts") {
    const SpecParts bound = with_shm("bind", "\"rbind\"");
    CHECK(warned(bound).empty());
    CHECK(warned(bound, {.bound_shm_bytes = 64 * kMiB, .inherited_memlock = {}}) != "");
    CHECK(warned(bound, {.bound_shm_bytes = 4096 * kMiB, .inherited_memlock = {}}).empty());
    // The last mount of a path is what is seen.
    SpecParts both = with_shm("tmpfs", "\"size=64m\"");
    both.mounts += bound.mounts;
    CHECK(warned(both, {.bound_shm_bytes = 4096 * kMiB, .inherited_memlock = {}}).empty());
}

TEST_CASE("a low limit of locked memory is warned of, wherever it comes from") {
    SpecParts parts;
    const auto inherited = [&](std::uint64_t limit) {
        return warned(parts, {.bound_shm_bytes = {}, .inherited_memlock = limit});
    };
    CHECK(inherited(8 * kMiB) ==
          "the limit of locked memory is only 8 MiB: RCCL over InfiniBand and large pinned buffers "
          "fail; add --ulimit memlock=-1");
    CHECK(inherited(64 << 10).find("64 KiB") != std::string::npos);
    CHECK(inherited(1024 * kMiB).empty());
    CHECK(inherited(~std::uint64_t{0}).empty());
    CHECK(warned(parts).empty());
    CHECK(warned(parts, {.bound_shm_bytes = {}, .inherited_memlock = 1}, {.memlock = false})
              .empty());
    const auto rlimit = [](const char* type, const char* soft) {
        return std::string(R"(,"rlimits":[{"type":")") + type +
               R"(","hard":18446744073709551615,"soft":)" + soft + "}]";
    };
    // The spec's own counts more than what is inherited.
    parts.process = rlimit("RLIMIT_MEMLOCK", "18446744073709551615");
    CHECK(inherited(8 * kMiB).empty());
    parts.process = rlimit("RLIMIT_MEMLOCK", "65536");
    CHECK_FALSE(inherited(~std::uint64_t{0}).empty());
    parts.process = rlimit("RLIMIT_CORE", "0");
    CHECK(inherited(~std::uint64_t{0}).empty());
    parts.process = R"(,"capabilities":{"bounding":["CAP_IPC_LOCK"]})";
    CHECK(inherited(1).empty());
    parts.linux_more = R"(,"namespaces":[{"type":"user"}])";
    CHECK_FALSE(inherited(1).empty());
}

TEST_CASE("the words fit the vendor and the engine") {
    SpecParts parts = with_shm("tmpfs", "\"size=64m\"");
    const ResourceFacts facts{.bound_shm_bytes = {}, .inherited_memlock = 1};
    const auto text = [&](bool amd, bool nvidia) {
        return join(resource_warnings(parts.view(), facts, {}, amd, nvidia), "|");
    };
    CHECK(text(false, false).empty());
    CHECK(text(false, true).find("loaders and NCCL end") != std::string::npos);
    CHECK(text(true, true).find("NCCL and RCCL over InfiniBand") != std::string::npos);
    // A pod has no such options.
    parts.annotations = R"("io.kubernetes.cri.container-type":"container")";
    CHECK(text(true, false).find("--") == std::string::npos);
    CHECK(text(true, false).find("emptyDir with medium: Memory") != std::string::npos);
    CHECK(text(true, false).find("LimitMEMLOCK=infinity") != std::string::npos);
}
