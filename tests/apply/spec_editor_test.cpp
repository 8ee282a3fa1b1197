#include "apply/spec_editor.hpp"

#include "catch.hpp"
#include "oci-spec/spec_fixture.hpp"
#include "spec_parts.hpp"

using namespace gantry;

namespace {

// One of everything.
oci::ContainerEdits all_edits() {
    oci::ContainerEdits edits;
    edits.env = {{"HSA_OVERRIDE_GFX_VERSION", "10.3.0", ""}};
    edits.devices = {{"/dev/kfd", 'c', 236, 0, 0660, 0, 110, "rw", true, true, ""}};
    edits.mounts = {{"/host/libcuda.so.1", "/usr/lib/libcuda.so.1", {"bind", "ro"}, ""}};
    edits.additional_gids = {{110, ""}};
    return edits;
}

constexpr const char* kDevice =
    R"({"path":"/dev/kfd","type":"c","major":236,"minor":0,"fileMode":432,"uid":0,"gid":110})";
constexpr const char* kRule = R"({"allow":true,"type":"c","major":236,"minor":0,"access":"rw"})";
constexpr const char* kMount = R"({"destination":"/usr/lib/libcuda.so.1","type":"bind",)"
                               R"("source":"/host/libcuda.so.1","options":["bind","ro"]})";
constexpr const char* kEnv = "\"HSA_OVERRIDE_GFX_VERSION=10.3.0\"";

std::string edited(const std::string& json, const oci::ContainerEdits& edits) {
    oci::JsonDocument document = test::parse_json(json);
    const auto applied = apply::apply_edits(document, edits);
    return applied ? document.render() : applied.error().text();
}

oci::ContainerEdits env_edit(const char* name, std::optional<std::string> value) {
    oci::ContainerEdits edits;
    edits.env = {{name, std::move(value), ""}};
    return edits;
}

oci::ContainerEdits device_edit(bool node, bool rule) {
    oci::ContainerEdits edits = all_edits();
    edits.env.clear();
    edits.mounts.clear();
    edits.additional_gids.clear();
    edits.devices[0].add_node = node;
    edits.devices[0].add_rule = rule;
    return edits;
}

}  // namespace

TEST_CASE("no edits change no byte") {
    for (const char* json : {"{}", " { \"process\" : null }\n\n", R"({"a":1.10,"b":[ ],"c":-0})"})
        CHECK(edited(json, {}) == json);
    for (const char* name : {"runc-spec.json", "podman.json", "odd-numbers.json",
                             "legacy-capabilities.json"})
        CHECK(edited(spec_fixture(name), {}) == spec_fixture(name));
}

TEST_CASE("a variable is replaced where it stands, added at the end, or removed whole") {
    const auto env = [](const char* entries) {
        return R"({"process":{"env":[)" + std::string(entries) + "]}}";
    };
    const struct {
        const char* before;
        std::optional<std::string> value;
        const char* after;
    } cases[] = {
        {R"("A=1","B=2")", "x", R"("A=1","B=2","V=x")"},
        {R"("V=1","B=2")", "x", R"("V=x","B=2")"},
        // Of several the last one counts; the others are not ours to clean up.
        {R"("V=1","B=2","V=3")", "x", R"("V=1","B=2","V=x")"},
        {R"("V=1","B=2","V=3")", std::nullopt, R"("B=2")"},
        {R"("V=")", std::nullopt, ""},
        {R"("B=2")", std::nullopt, R"("B=2")"},
        // Only exact names.
        {R"("VV=1","V","v=1","=V","V_1=2")", "x", R"("VV=1","V","v=1","=V","V_1=2","V=x")"},
        {R"("\u0056=1")", "x", R"("V=x")"},
        {R"(1,null,"V=1")", "x", R"(1,null,"V=x")"},
        {R"("V=1")", "a=b\"\\\n", R"("V=a=b\"\\\n")"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.before);
        CHECK(edited(env(row.before), env_edit("V", row.value)) == env(row.after));
    }
}

TEST_CASE("device nodes and rules go to the end of their lists") {
    const std::string before = R"({"linux":{"devices":[1],"resources":{"devices":[2],"memory":{}}}})";
    CHECK(edited(before, device_edit(true, true)) ==
          std::string(R"({"linux":{"devices":[1,)") + kDevice +
              R"(],"resources":{"devices":[2,)" + kRule + R"(],"memory":{}}}})");
    CHECK(edited(before, device_edit(false, true)) ==
          std::string(R"({"linux":{"devices":[1],"resources":{"devices":[2,)") + kRule +
              R"(],"memory":{}}}})");
    CHECK(edited(before, device_edit(true, false)) ==
          std::string(R"({"linux":{"devices":[1,)") + kDevice +
              R"(],"resources":{"devices":[2],"memory":{}}}})");
    CHECK(edited(before, device_edit(false, false)) == before);
}

TEST_CASE("sections that are absent or null are made only where an edit needs them") {
    // no linux
    CHECK(edited(R"({"a":1})", device_edit(true, true)) ==
          std::string(R"({"a":1,"linux":{"devices":[)") + kDevice +
              R"(],"resources":{"devices":[)" + kRule + "]}}}");
    CHECK(edited("{}", device_edit(false, true)) ==
          std::string(R"({"linux":{"resources":{"devices":[)") + kRule + "]}}}");
    // nulls are absent
    CHECK(edited(R"({"mounts":null,"linux":{"resources":null,"devices":null},"hooks":null})",
                 device_edit(true, true)) ==
          std::string(R"({"mounts":null,"linux":{"resources":{"devices":[)") + kRule +
              R"(]},"devices":[)" + kDevice + R"(]},"hooks":null})");
    // no mounts, no process.user, env null
    oci::ContainerEdits edits = all_edits();
    edits.devices.clear();
    CHECK(edited(R"({"process":{"env":null}})", edits) ==
          std::string(R"({"process":{"env":[)") + kEnv +
              R"(],"user":{"additionalGids":[110]}},"mounts":[)" + kMount + "]}");
    edits.mounts.clear();
    CHECK(edited(R"({"process":{"user":{"additionalGids":[7]}}})", edits) ==
          std::string(R"({"process":{"user":{"additionalGids":[7,110]},"env":[)") + kEnv + "]}}");
}

TEST_CASE("a section of another type is an error that names it") {
    const struct {
        const char* json;
        const char* section;
    } cases[] = {
        {R"({"process":[]})", "process in config.json is no object"},
        {R"({"process":{"env":{}}})", "process.env in config.json is no list"},
        {R"({"process":{"env":[],"user":1}})", "process.user in config.json is no object"},
        {R"({"process":{"env":[],"user":{"additionalGids":"x"}}})",
         "process.user.additionalGids in config.json is no list"},
        {R"({"mounts":{}})", "mounts in config.json is no list"},
        {R"({"linux":3})", "linux in config.json is no object"},
        {R"({"linux":{"devices":false}})", "linux.devices in config.json is no list"},
        {R"({"linux":{"resources":[]}})", "linux.resources in config.json is no object"},
        {R"({"linux":{"resources":{"devices":{}}}})",
         "linux.resources.devices in config.json is no list"},
        {"[]", "process in config.json is no object"},
        {"\"text\"", "process in config.json is no object"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.json);
        CHECK(edited(row.json, all_edits()).starts_with(std::string("GTY-122: ") + row.section));
    }
}

TEST_CASE("what is not edited keeps every digit and every byte") {
    const std::string head = R"({"ociVersion":"1.0.0-rc2-dev","process":{"user":{"uid":0},)"
                             R"("rlimits":[{"type":"RLIMIT_MEMLOCK","hard":18446744073709551615,)"
                             R"("soft":18446744073709551615},{"hard":9007199254740993,"soft":0}],)"
                             R"("capabilities":["CAP_CHOWN","CAP_KILL"],"env":["A=1")";
    const std::string middle = R"(]},"x-numbers":{"max":9223372036854775807,)"
                               R"("min":-9223372036854775808,"page":9223372036854771712,)"
                               R"("u64":18446744073709551615,"float":1.10,"big":1e400,"zero":-0},)"
                               R"("linux":{"resources":{"memory":{"limit":268435456000,"swap":-1},)"
                               R"("devices":[{"allow":false})";
    const std::string tail = R"(]}},"annotations":{"big":"18446744073709551615","zero":"1.0"},)"
                             R"("platform":{"os":"linux"}})";
    oci::ContainerEdits edits = device_edit(false, true);
    edits.env = all_edits().env;
    CHECK(edited(head + middle + tail, edits) ==
          head + "," + kEnv + middle + "," + kRule + tail);
}

TEST_CASE("every line of an engine's spec that is not edited stays as it is") {
    for (const char* name : {"runc-spec.json", "podman.json", "legacy-capabilities.json"}) {
        CAPTURE(name);
        const std::string before = spec_fixture(name);
        const std::string after = edited(before, all_edits());
        const oci::SpecView view = test::spec_view(after);
        CHECK(view.env_value("HSA_OVERRIDE_GFX_VERSION") == "10.3.0");
        REQUIRE_FALSE(view.devices.empty());
        CHECK(view.devices.back().path == "/dev/kfd");
        CHECK(view.device_rules.back().allow);
        CHECK(view.mounts.back().destination == "/usr/lib/libcuda.so.1");
        CHECK(view.additional_gids.back() == 110);
        // Taking the same things out again leaves the same values in their order.
        const oci::SpecView plain = test::spec_view(before);
        CHECK(view.mounts.size() == plain.mounts.size() + 1);
        CHECK(view.device_rules.size() == plain.device_rules.size() + 1);
        CHECK(view.bounding_capabilities == plain.bounding_capabilities);
        CHECK(std::vector(view.env.begin(), view.env.end() - 1) == plain.env);
        CHECK(view.args == plain.args);
        CHECK(view.annotations == plain.annotations);
    }
}

TEST_CASE("values in an edit cannot break out of their strings") {
    oci::ContainerEdits edits = all_edits();
    edits.mounts[0].host_path = "/a\"},{\"x\":\"\n";
    edits.mounts[0].options = {"b\"]"};
    edits.devices[0].path = "/dev/\"k\\fd";
    const oci::SpecView view = test::spec_view(edited("{}", edits));
    REQUIRE(view.mounts.size() == 1);
    CHECK(view.mounts[0].source == edits.mounts[0].host_path);
    CHECK(view.mounts[0].options == edits.mounts[0].options);
    REQUIRE(view.devices.size() == 1);
    CHECK(view.devices[0].path == edits.devices[0].path);
}
