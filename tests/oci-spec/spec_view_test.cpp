#include "oci-spec/spec_view.hpp"

#include "catch.hpp"
#include "spec_fixture.hpp"

using namespace gantry::oci;

namespace {

SpecView view_of(std::string text) {
    auto document = JsonDocument::parse(std::move(text));
    REQUIRE(document.has_value());
    return extract_spec_view(*document);
}

}  // namespace

TEST_CASE("a whole spec is read") {
    const SpecView view = view_of(R"({
      "process": {"terminal": true, "user": {"uid": 1000, "gid": 100, "additionalGids": [44, 110]},
        "args": ["sh", "-c", "x y"], "env": ["A=1", "odd", 5, "A=2"],
        "capabilities": {"bounding": ["CAP_KILL"], "effective": ["CAP_CHOWN"]}},
      "root": {"path": "rootfs", "readonly": true},
      "mounts": [{"destination": "/d", "type": "bind", "source": "/s", "options": ["ro", "rbind"]}],
      "annotations": {"k": "v", "number": 1},
      "hooks": {"poststop": [{"path": "/p"}], "prestart": [{"path": "/a", "args": ["a", "b"]}]},
      "linux": {
        "devices": [{"path": "/dev/kfd", "type": "c", "major": 235, "minor": 0, "fileMode": 432,
                     "uid": 0, "gid": 110}],
        "resources": {"devices": [{"allow": false, "access": "rwm"},
                                  {"allow": true, "type": "c", "major": 226, "minor": -1,
                                   "access": "rw"}]},
        "namespaces": [{"type": "mount"}, {"type": "network", "path": "/proc/1/ns/net"},
                       {"type": "user"}],
        "uidMappings": [{"containerID": 0, "hostID": 100000, "size": 65536}],
        "gidMappings": [{"containerID": 1, "hostID": 2, "size": 3}],
        "cgroupsPath": "system.slice:docker:id"}})");
    CHECK(view.has_process);
    CHECK(view.terminal);
    CHECK(view.args == std::vector<std::string>{"sh", "-c", "x y"});
    CHECK(view.env == std::vector<std::string>{"A=1", "odd", "A=2"});
    CHECK(view.uid == 1000);
    CHECK(view.gid == 100);
    CHECK(view.additional_gids == std::vector<std::uint32_t>{44, 110});
    CHECK(view.bounding_capabilities == std::vector<std::string>{"CAP_KILL"});
    CHECK(view.root_path == "rootfs");
    CHECK(view.root_readonly);
    REQUIRE(view.mounts.size() == 1);
    CHECK(view.mounts[0].destination == "/d");
    CHECK(view.mounts[0].source == "/s");
    CHECK(view.mounts[0].options == std::vector<std::string>{"ro", "rbind"});
    CHECK(view.annotations == std::map<std::string, std::string>{{"k", "v"}});
    REQUIRE(view.hooks.size() == 2);
    CHECK(view.hooks[0].stage == "prestart");
    CHECK(view.hooks[0].args == std::vector<std::string>{"a", "b"});
    CHECK(view.hooks[1].stage == "poststop");
    CHECK(view.hooks[1].path == "/p");
    CHECK(view.has_linux);
    REQUIRE(view.devices.size() == 1);
    CHECK(view.devices[0].path == "/dev/kfd");
    CHECK(view.devices[0].type == "c");
    CHECK(view.devices[0].major == 235);
    CHECK(view.devices[0].minor == 0);
    CHECK(view.devices[0].file_mode == 0660);
    CHECK(view.devices[0].uid == 0);
    CHECK(view.devices[0].gid == 110);
    REQUIRE(view.device_rules.size() == 2);
    CHECK_FALSE(view.device_rules[0].allow);
    CHECK(view.device_rules[0].type == "a");
    CHECK_FALSE(view.device_rules[0].major);
    CHECK(view.device_rules[1].allow);
    CHECK(view.device_rules[1].type == "c");
    CHECK(view.device_rules[1].major == 226);
    CHECK_FALSE(view.device_rules[1].minor);  // -1
    CHECK(view.device_rules[1].access == "rw");
    CHECK(view.namespaces.size() == 3);
    CHECK(view.find_namespace("network")->path == "/proc/1/ns/net");
    CHECK(view.find_namespace("pid") == nullptr);
    CHECK(view.has_new_user_namespace());
    REQUIRE(view.uid_mappings.size() == 1);
    CHECK(view.uid_mappings[0].host_id == 100000);
    CHECK(view.uid_mappings[0].size == 65536);
    CHECK(view.gid_mappings[0].container_id == 1);
    CHECK(view.cgroups_path == "system.slice:docker:id");
}

TEST_CASE("sections that are absent or null are empty") {
    for (const char* text :
         {"{}", R"({"process":null,"root":null,"mounts":null,"annotations":null,"hooks":null,)"
                R"("linux":null})",
          R"({"process":{"env":null,"args":null,"user":null,"capabilities":null},)"
          R"("hooks":{"prestart":null},"linux":{"devices":null,"resources":null,)"
          R"("namespaces":null,"uidMappings":null}})",
          R"({"linux":{"resources":{"devices":null}}})", "[]", "null", "7", "\"process\""}) {
        CAPTURE(text);
        const SpecView view = view_of(text);
        CHECK(view.env.empty());
        CHECK(view.args.empty());
        CHECK(view.mounts.empty());
        CHECK(view.annotations.empty());
        CHECK(view.hooks.empty());
        CHECK(view.devices.empty());
        CHECK(view.device_rules.empty());
        CHECK(view.namespaces.empty());
        CHECK(view.bounding_capabilities.empty());
        CHECK_FALSE(view.has_new_user_namespace());
        CHECK_FALSE(view.allows_all_devices());
        CHECK_FALSE(view.env_value("A"));
    }
    CHECK_FALSE(view_of(R"({"process":null,"linux":null})").has_process);
    CHECK_FALSE(view_of(R"({"process":null,"linux":null})").has_linux);
    CHECK(view_of(R"({"process":{},"linux":{}})").has_process);
    CHECK(view_of(R"({"process":{},"linux":{}})").has_linux);
}

TEST_CASE("members of the wrong type count as absent") {
    const SpecView view = view_of(R"({
      "process": {"terminal": "yes", "user": {"uid": -1, "gid": 4294967297,
                  "additionalGids": ["44", 4294967295, 1.0]}, "args": "sh", "env": {"A": "1"}},
      "root": [], "mounts": {"destination": "/d"}, "annotations": ["a"],
      "hooks": {"prestart": {"path": "/p"}},
      "linux": {"devices": [7, {"path": 7, "major": "1", "fileMode": -1}],
                "resources": {"devices": [null, {"allow": "true", "type": "", "access": 7}]},
                "namespaces": "all"}})");
    CHECK_FALSE(view.terminal);
    CHECK(view.uid == 0);
    CHECK(view.gid == 0);
    CHECK(view.additional_gids == std::vector<std::uint32_t>{UINT32_MAX});
    CHECK(view.args.empty());
    CHECK(view.env.empty());
    CHECK(view.mounts.empty());
    CHECK(view.annotations.empty());
    CHECK(view.hooks.empty());
    REQUIRE(view.devices.size() == 1);
    CHECK(view.devices[0].path.empty());
    CHECK_FALSE(view.devices[0].file_mode);
    REQUIRE(view.device_rules.size() == 1);
    CHECK_FALSE(view.device_rules[0].allow);
    CHECK(view.device_rules[0].type == "a");
}

TEST_CASE("of a doubled section the last counts") {
    const SpecView view = view_of(R"({"process":{"env":["A=1"]},"process":{"env":["A=2"]}})");
    CHECK(view.env_value("A") == "2");
}

TEST_CASE("the old list form of capabilities is read") {
    const SpecView view = view_of(spec_fixture("legacy-capabilities.json"));
    CHECK(view.bounding_capabilities ==
          std::vector<std::string>{"CAP_CHOWN", "CAP_KILL", "CAP_NET_BIND_SERVICE"});
    CHECK(view.env_value("NVIDIA_VISIBLE_DEVICES") == "all");
}

TEST_CASE("a spec of a real engine is read") {
    const SpecView view = view_of(spec_fixture("podman.json"));
    CHECK(view.env_value("AMD_VISIBLE_DEVICES") == "all");
    CHECK(view.annotations.at("run.oci.keep_original_groups") == "1");
    CHECK(view.root_path == "rootfs");
    CHECK(view.find_namespace("network") != nullptr);
    CHECK(view.bounding_capabilities.size() == 11);
    REQUIRE_FALSE(view.mounts.empty());
    CHECK(view.mounts[0].destination == "/proc");
    REQUIRE_FALSE(view.device_rules.empty());
    CHECK_FALSE(view.device_rules[0].allow);
}

TEST_CASE("an environment variable has the value of its last entry") {
    SpecView view;
    view.env = {"A=1", "AB=2", "A=", "A", "B", "=x", "C=1=2", "A =9"};
    CHECK(view.env_value("A") == "");
    CHECK(view.env_value("AB") == "2");
    CHECK(view.env_value("C") == "1=2");
    CHECK_FALSE(view.env_value("B"));
    CHECK_FALSE(view.env_value(""));
    CHECK_FALSE(view.env_value("a"));
    view.env.push_back("A=3");
    CHECK(view.env_value("A") == "3");
}

TEST_CASE("only a rule for everything, not denied again, allows all devices") {
    struct Row {
        const char* rules;
        bool all;
    };
    const Row rows[] = {
        {R"([{"allow":true,"access":"rwm"}])", true},
        {R"([{"allow":true,"type":"a","access":"mwr"}])", true},
        {R"([{"allow":true,"type":"a","major":-1,"minor":-1,"access":"rwm"}])", true},
        {R"([{"allow":false,"access":"rwm"},{"allow":true,"access":"rwm"}])", true},
        {R"([{"allow":true,"access":"rwm"},{"allow":true,"type":"c","access":"r"}])", true},
        {R"([{"allow":true,"access":"rwm"},{"allow":false,"access":"rwm"}])", false},
        {R"([{"allow":true,"access":"rwm"},{"allow":false,"type":"c","major":10,"minor":229,)"
         R"("access":"rwm"}])", false},
        {R"([{"allow":true,"access":"rw"}])", false},
        {R"([{"allow":true,"type":"c","access":"rwm"}])", false},
        {R"([{"allow":true,"type":"a","major":1,"access":"rwm"}])", false},
        {R"([{"allow":false,"access":"rwm"}])", false},
        {R"([])", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rules);
        CHECK(view_of(std::string(R"({"linux":{"resources":{"devices":)") + row.rules + "}}}")
                  .allows_all_devices() == row.all);
    }
}

TEST_CASE("bind mounts are told by type or option") {
    CHECK(SpecMount{"/d", "bind", "/s", {}}.is_bind());
    CHECK(SpecMount{"/d", "none", "/s", {"ro", "bind"}}.is_bind());
    CHECK(SpecMount{"/d", "", "/s", {"rbind"}}.is_bind());
    CHECK_FALSE(SpecMount{"/d", "tmpfs", "bind", {"nobind"}}.is_bind());
}

TEST_CASE("a user namespace that is joined is not new") {
    CHECK_FALSE(view_of(R"({"linux":{"namespaces":[{"type":"user","path":"/proc/7/ns/user"}]}})")
                    .has_new_user_namespace());
}

TEST_CASE("paths are cleaned lexically") {
    struct Row {
        const char* path;
        const char* clean;
    };
    const Row rows[] = {
        {"/dev/kfd", "/dev/kfd"}, {"/dev//kfd/", "/dev/kfd"}, {"/dev/./kfd", "/dev/kfd"},
        {"/dev/dri/../kfd", "/dev/kfd"}, {"/../../dev", "/dev"}, {"/", "/"}, {"//", "/"},
        {"/..", "/"}, {"", "."}, {".", "."}, {"a/..", "."}, {"../a", "../a"},
        {"a/../../b/", "../b"}, {"../..", "../.."}, {"dev/kfd", "dev/kfd"},
        {"/a/..b/.c", "/a/..b/.c"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(clean_path(row.path) == row.clean);
    }
}
