#include "apply/twin_spec.hpp"

#include <algorithm>

#include "catch.hpp"
#include "oci-spec/spec_fixture.hpp"
#include "spec_parts.hpp"

using namespace gantry;
using apply::TwinDocument;
using apply::TwinSpec;

namespace {

const TwinSpec kTwin{"gantry-abc-1", {"/proc/self/fd/3", "4"}, "/run/bundle", "/var/lib/rootfs"};

TwinDocument made(const std::string& json) {
    auto document = apply::make_twin_document(json, kTwin);
    if (!document) throw std::runtime_error(document.error().text());
    return std::move(*document);
}

// The raw text of one member of the twin's document, "" where it has none.
std::string member(const TwinDocument& twin, std::initializer_list<std::string_view> path) {
    const oci::JsonDocument document = test::parse_json(twin.text);
    const auto node = document.find(path);
    return node == oci::JsonDocument::kNone ? "" : std::string(document.raw(node));
}

std::string section(const std::string& name, const std::string& value) {
    return R"({"process":{"args":["x"]},")" + name + "\":" + value + "}";
}

}  // namespace

TEST_CASE("the check takes the place of the container's process") {
    const TwinDocument twin = made(
        R"({"process":{"terminal":true,"consoleSize":{"height":1,"width":2},"cwd":"/made/by/runc",)"
        R"("args":["sleep","1"],"commandLine":"x","env":["A=1","NVIDIA_VISIBLE_DEVICES=0"],)"
        R"("user":{"uid":1000,"gid":5,"umask":18,"additionalGids":[110]},"noNewPrivileges":true,)"
        R"("capabilities":{"bounding":["CAP_KILL"]},"rlimits":[{"type":"RLIMIT_AS","hard":18446744073709551615}],)"
        R"("apparmorProfile":"docker-default","selinuxLabel":"l","oomScoreAdj":-1},)"
        R"("root":{"path":"rootfs","readonly":true},"hostname":"h","ociVersion":"1.0.2"})");
    CHECK(member(twin, {"process"}) ==
          R"({"terminal":false,"cwd":"/","args":["/proc/self/fd/3","4"],)"
          R"("env":["A=1","NVIDIA_VISIBLE_DEVICES=0"],)"
          R"("user":{"uid":1000,"gid":5,"umask":18,"additionalGids":[110]},"noNewPrivileges":true,)"
          R"("capabilities":{"bounding":["CAP_KILL"]},"rlimits":[{"type":"RLIMIT_AS","hard":18446744073709551615}],)"
          R"("apparmorProfile":"docker-default","selinuxLabel":"l","oomScoreAdj":-1})");
    CHECK(member(twin, {"root"}) == R"({"path":"/var/lib/rootfs","readonly":true})");
    CHECK(member(twin, {"hostname"}) == "\"h\"");
    CHECK(member(twin, {"ociVersion"}) == "\"1.0.2\"");
}

TEST_CASE("the check has room for its descriptors") {
    const auto limits = [](const std::string& value) {
        return member(made(R"({"process":{"args":["x"],"rlimits":)" + value + "}}"),
                      {"process", "rlimits"});
    };
    CHECK(limits(R"([{"type":"RLIMIT_NOFILE","hard":12,"soft":11},{"type":"RLIMIT_AS","soft":5}])") ==
          R"([{"type":"RLIMIT_NOFILE","hard":64,"soft":64},{"type":"RLIMIT_AS","soft":5}])");
    for (const char* kept :
         {R"([{"type":"RLIMIT_NOFILE","hard":1024,"soft":64}])", R"([{"type":"RLIMIT_NOFILE"}])",
          R"([{"type":"RLIMIT_NOFILE","hard":"1","soft":-1}])", "[]", "7", R"(["RLIMIT_NOFILE"])"}) {
        CAPTURE(kept);
        CHECK(limits(kept) == kept);
    }
}

TEST_CASE("only the devices of the resources bind the twin") {
    const auto resources = [](const std::string& value) {
        return member(made(section("linux", R"({"resources":)" + value + "}")),
                      {"linux", "resources"});
    };
    CHECK(resources(R"({"memory":{"limit":1},"devices":[{"allow":false}, {"allow":true}],)"
                    R"("pids":{"limit":8},"cpu":{"cpus":"0"},"unified":{"memory.max":"1"}})") ==
          R"({"devices":[{"allow":false}, {"allow":true}]})");
    CHECK(resources(R"({"memory":{"limit":1}})") == "{}");
    CHECK(resources("null") == "{}");
    CHECK(resources(R"({"devices":null})") == R"({"devices":null})");
}

TEST_CASE("what would act on the host a second time is left out") {
    const TwinDocument twin = made(section(
        "linux", R"({"intelRdt":{"closID":"x"},"netDevices":{"eth0":{}},"sysctl":{"a":"b"},)"
                 R"("maskedPaths":["/proc/kcore"],"namespaces":[{"type":"network","path":"/run/netns/x"},)"
                 R"({"type":"pid"},{"type":"user","path":"/proc/7/ns/user"}],"mountLabel":"m",)"
                 R"("uidMappings":[{"containerID":0,"hostID":1000,"size":1}],)"
                 R"("devices":[{"path":"/dev/kfd","type":"c","major":236,"minor":0}]})"));
    CHECK(member(twin, {"linux", "intelRdt"}).empty());
    CHECK(member(twin, {"linux", "netDevices"}).empty());
    CHECK(member(twin, {"linux", "namespaces"}) ==
          R"([{"type":"network","path":"/run/netns/x"},{"type":"pid"},)"
          R"({"type":"user","path":"/proc/7/ns/user"}])");
    for (const char* kept : {"sysctl", "maskedPaths", "mountLabel", "uidMappings", "devices"})
        CHECK_FALSE(member(twin, {"linux", kept}).empty());

    const TwinDocument noted = made(section(
        "annotations", R"({"run.oci.hooks.stdout":"/x","run.oci.hooks.stderr":"/x",)"
                       R"("run.oci.pidfd_receiver":"/s","run.oci.seccomp.receiver":"/s",)"
                       R"("run.oci.seccomp.plugins":"p","run.oci.keep_original_groups":"1"})"));
    CHECK(member(noted, {"annotations"}) == R"({"run.oci.keep_original_groups":"1"})");
}

TEST_CASE("the seccomp profile stays, without its agent") {
    const TwinDocument twin = made(section(
        "linux", R"({"seccomp":{"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":38,)"
                 R"("listenerPath":"/run/agent","listenerMetadata":"m","syscalls":[)"
                 R"({"names":["read"],"action":"SCMP_ACT_ALLOW","args":[{"value":18446744073709551615}]},)"
                 R"({"names":["mount"],"action":"SCMP_ACT_NOTIFY"}]}})"));
    CHECK(member(twin, {"linux", "seccomp"}) ==
          R"({"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":38,"syscalls":[)"
          R"({"names":["read"],"action":"SCMP_ACT_ALLOW","args":[{"value":18446744073709551615}]},)"
          R"({"names":["mount"],"action":"SCMP_ACT_ERRNO"}]})");
}

TEST_CASE("only hooks that inject GPUs run in the twin") {
    const auto hooks = [](const std::string& value) {
        return member(made(section("hooks", value)), {"hooks"});
    };
    const std::string nvidia = R"({"path":"/usr/bin/nvidia-container-runtime-hook","args":["x","prestart"],"timeout":5})";
    const std::string cdi = R"({"path":"/usr/bin/nvidia-cdi-hook","args":["nvidia-cdi-hook","update-ldcache"]})";
    // As Docker writes its network set-up: the daemon itself as a hook.
    const std::string setkey = R"({"path":"/proc/512/exe","args":["libnetwork-setkey","-exec-root=/var/run/docker","id"]})";
    CHECK(hooks(R"({"prestart":[)" + setkey + "]}").empty());
    CHECK(hooks(R"({"prestart":[)" + setkey + "," + nvidia + R"(],"createContainer":[)" + cdi +
                "]}") ==
          R"({"prestart":[)" + nvidia + R"(],"createContainer":[)" + cdi + "]}");
    CHECK(hooks(R"({"createRuntime":[)" + nvidia + "," + cdi + "]}") ==
          R"({"createRuntime":[)" + nvidia + "," + cdi + "]}");
    // Of the container's later life, or by a name that only begins alike.
    for (const std::string& value :
         {R"({"startContainer":[)" + nvidia + "]}", R"({"poststart":[)" + nvidia + "]}",
          R"({"poststop":[)" + cdi + "]}",
          std::string(R"({"prestart":[{"path":"/usr/bin/nvidia-ctk-wrapper"}]})"),
          std::string(R"({"prestart":[{"path":"/nvidia-ctk/tracer"},{"args":["nvidia-ctk"]},null]})"),
          std::string("null"), std::string("{}"), std::string("[]"),
          std::string(R"({"prestart":null})")}) {
        CAPTURE(value);
        CHECK(hooks(value).empty());
    }
}

TEST_CASE("the twin's cgroup is a sibling of the container's, by the same driver") {
    const struct {
        const char* path;
        const char* sibling;
    } cases[] = {
        {"/docker/0123", "/docker/N"},
        {"/docker/0123/", "/docker/N"},  // not below the container's own limits
        {"/docker//0123//", "/docker//N"},
        {"/0123", "/N"},
        {"/", "/N"},
        {"0123", "N"},
        {"kubepods/burstable/pod1/0123", "kubepods/burstable/pod1/N"},
        {"/kubepods/pod1/cri-containerd:0123", "/kubepods/pod1/N"},
        {"system.slice:docker:0123", "system.slice:gantry:N"},
        {"kubepods-burstable-pod1.slice:cri-containerd:0123",
         "kubepods-burstable-pod1.slice:gantry:N"},
        {":libpod:0123", ":gantry:N"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        CHECK(apply::sibling_cgroups_path(row.path, "N") == row.sibling);
    }
    TwinDocument twin = made(section("linux", R"({"cgroupsPath":"/docker/0123"})"));
    CHECK(twin.cgroups_path == "/docker/gantry-abc-1");
    CHECK(member(twin, {"linux", "cgroupsPath"}) == "\"/docker/gantry-abc-1\"");
    for (const char* none : {R"({"cgroupsPath":""})", "{}", R"({"cgroupsPath":null})"}) {
        twin = made(section("linux", none));
        CHECK(twin.cgroups_path.empty());
        CHECK(member(twin, {"linux"}) == none);
    }
}

TEST_CASE("mounts stay, relative sources lead to the container's bundle, and /proc is there") {
    const auto mounts = [](const std::string& value) {
        return member(made(section("mounts", value)), {"mounts"});
    };
    const std::string proc = R"({"destination":"/proc","type":"proc","source":"proc"})";
    const std::string added = R"({"destination":"/proc","type":"proc","source":"proc",)"
                              R"("options":["nosuid","noexec","nodev"]})";
    CHECK(mounts("[" + proc + R"(,{"destination":"/a","type":"bind","source":"data/a"},)"
                 R"({"destination":"/b","type":"none","source":"./b","options":["rbind"]},)"
                 R"({"destination":"/c","type":"bind","source":"/abs"},)"
                 R"({"destination":"/t","type":"tmpfs","source":"tmpfs"}])") ==
          "[" + proc + R"(,{"destination":"/a","type":"bind","source":"/run/bundle/data/a"},)"
                 R"({"destination":"/b","type":"none","source":"/run/bundle/./b","options":["rbind"]},)"
                 R"({"destination":"/c","type":"bind","source":"/abs"},)"
                 R"({"destination":"/t","type":"tmpfs","source":"tmpfs"}])");
    // Entries that are no mounts do not shift the others.
    CHECK(mounts("[null," + proc + R"(,{"destination":"/a","type":"bind","source":"a"}])") ==
          "[null," + proc + R"(,{"destination":"/a","type":"bind","source":"/run/bundle/a"}])");
    CHECK(mounts("[]") == "[" + added + "]");
    CHECK(mounts("null") == "[" + added + "]");
    CHECK(member(made(R"({"process":{}})"), {"mounts"}) == "[" + added + "]");
    CHECK(mounts(R"([{"destination":"/proc/","type":"bind","source":"/proc"}])") ==
          R"([{"destination":"/proc/","type":"bind","source":"/proc"}])");
    CHECK(mounts(R"([{"destination":"/process","type":"tmpfs"}])").ends_with("," + added + "]"));
}

TEST_CASE("everything that a runtime may make in the rootfs is listed") {
    const auto touched = [](const std::string& json, const char* path) {
        const auto paths = made(json).touched_paths;
        return std::ranges::find(paths, path) != paths.end();
    };
    const std::string devices =
        R"({"process":{},"linux":{"devices":[{"path":"/dev//dri/renderD128","type":"c"}]},"mounts":[)";
    const std::string bare = devices + R"({"destination":"/data/","type":"bind","source":"/d"}]})";
    for (const char* path : {"/proc", "/data", "/dev/dri/renderD128", "/dev/null", "/dev/ptmx",
                             "/dev/fd", "/dev/console"}) {
        CAPTURE(path);
        CHECK(touched(bare, path));
    }
    // With a /dev of its own the container keeps the rootfs clean.
    const std::string own = devices + R"({"destination":"/dev","type":"tmpfs"}]})";
    CHECK(touched(own, "/dev"));
    CHECK_FALSE(touched(own, "/dev/null"));
    CHECK_FALSE(touched(own, "/dev/dri/renderD128"));
}

TEST_CASE("documents that are no specs are errors or twins, never a crash") {
    for (const char* json :
         {"{}", R"({"process":null,"linux":null,"mounts":null,"hooks":null,"annotations":null})",
          R"({"process":{},"linux":[],"mounts":{},"hooks":3,"annotations":"x","root":7})",
          R"({"process":{},"linux":{"resources":"x","seccomp":[],"cgroupsPath":{},"devices":{}}})",
          R"({"linux":{"seccomp":{"syscalls":[1,null,{"action":5},{}]}}})",
          R"({"mounts":[1,[],{"type":"bind"},{"source":5,"options":"bind"}]})"}) {
        CAPTURE(json);
        const auto document = apply::make_twin_document(json, kTwin);
        REQUIRE(document);
        CHECK(member(*document, {"process", "args"}) == R"(["/proc/self/fd/3","4"])");
    }
    for (const char* json : {R"({"process":[]})", R"({"process":"x"})", "[]", "7"}) {
        CAPTURE(json);
        const auto document = apply::make_twin_document(json, kTwin);
        REQUIRE(!document);
        CHECK(document.error().text().starts_with("GTY-122: process in config.json"));
    }
    CHECK_FALSE(apply::make_twin_document("{", kTwin));
    CHECK_FALSE(apply::make_twin_document("", kTwin));
}

TEST_CASE("an engine's spec becomes a twin that differs where it must") {
    for (const char* name : {"runc-spec.json", "podman.json"}) {
        CAPTURE(name);
        const oci::SpecView before = test::spec_view(spec_fixture(name));
        const oci::SpecView twin = test::spec_view(made(spec_fixture(name)).text);
        CHECK(twin.args == kTwin.arguments);
        CHECK_FALSE(twin.terminal);
        CHECK(twin.root_path == kTwin.rootfs);
        CHECK(twin.env == before.env);
        CHECK(twin.uid == before.uid);
        CHECK(twin.additional_gids == before.additional_gids);
        CHECK(twin.bounding_capabilities == before.bounding_capabilities);
        CHECK(twin.mounts.size() == before.mounts.size());
        CHECK(twin.device_rules.size() == before.device_rules.size());
        CHECK(twin.namespaces.size() == before.namespaces.size());
        CHECK(twin.hooks.empty());
    }
}
