#include "catch.hpp"
#include "plan/one_amd.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

std::string error_of(const inventory::Inventory& inventory, const SpecParts& spec) {
    const auto plan = try_plan(inventory, spec.view());
    return plan ? "planned" : plan.error().text();
}

}  // namespace

TEST_CASE("what the engine put into the spec is not doubled and not changed") {
    SpecParts spec = amd_spec("0");
    spec.user += R"(,"additionalGids":[1000,27,44])";
    spec.rules = std::string(kDenyAll) + "," + allow(226, 1) + "," + allow(226, 128, "rw") + "," +
                 allow(236, 0);
    spec.devices = device("/dev/dri/card1", 226, 1, R"(,"fileMode":432,"uid":0,"gid":44)") + "," +
                   device("/dev/dri/renderD128", 226, 128,
                          R"(,"fileMode":384,"uid":1000,"gid":1000)") +
                   "," + device("/dev//kfd", 236, 0, R"(,"fileMode":432,"uid":0,"gid":44)");
    const plan::Plan plan = planned(one_amd().get(), spec.view());
    CHECK(plan.edits.empty());
    CHECK_FALSE(has_notice(plan, "cannot open"));
    // The check still expects both nodes.
    CHECK(plan.expectation.nodes.size() == 2);
}

TEST_CASE("another device in a GPU's place is refused") {
    InventoryParts parts = one_amd();
    parts.amd("RX 7900 XTX", 110000, 129);
    SpecParts spec = amd_spec("0");
    spec.devices = device("/dev/dri/renderD128", 226, 129);
    std::string text = error_of(parts.get(), spec);
    CHECK(text.starts_with("GTY-205: AMD GPU 0 (RX 7900 XTX): /dev/dri/renderD128"));
    CHECK(text.find("is c 226:128, and c 226:129 in the container") != std::string::npos);

    spec.devices = R"({"path":"/dev/kfd","type":"b","major":236,"minor":0})";
    CHECK(error_of(parts.get(), spec).starts_with("GTY-205: "));
    spec.devices = R"({"path":"/dev/kfd","type":"u","major":236,"minor":0})";  // "u" is "c"
    CHECK(error_of(parts.get(), spec) == "planned");
    // The runtimes' mknod ignores a path that is there: the first entry counts.
    spec.devices = device("/dev/kfd", 1, 3) + "," + device("/dev/kfd", 236, 0);
    CHECK(error_of(parts.get(), spec).starts_with("GTY-205: "));
    spec.devices = device("/dev/kfd", 236, 0) + "," + device("/dev/kfd", 1, 3);
    CHECK(error_of(parts.get(), spec) == "planned");
}

TEST_CASE("a node below a bind mount is not made through the mount") {
    InventoryParts parts = one_amd();
    parts.amd("RX 7900 XTX", 110000, 129);
    const struct {
        const char* mounts;
        const char* devices;
        const char* notice;
    } cases[] = {
        {R"(,{"destination":"/dev/","type":"bind","source":"/dev/","options":["rbind","rw"]})",
         "/dev/kfd rule, /dev/dri/renderD128 rule", "comes from the bind mount of /dev"},
        {R"(,{"destination":"/dev//dri/","type":"bind","source":"/dev/dri","options":["rbind","ro"]})",
         "/dev/kfd node+rule, /dev/dri/renderD128 rule", "comes from the bind mount of /dev/dri"},
        {R"(,{"destination":"/dev/dri","type":"none","source":"/dev/dri","options":["rbind"]})",
         "/dev/kfd node+rule, /dev/dri/renderD128 rule", "comes from the bind mount of /dev/dri"},
        {R"(,{"destination":"/dev/kfd","type":"bind","source":"/dev/kfd"})",
         "/dev/kfd rule, /dev/dri/renderD128 node+rule", "/dev/kfd comes from the bind mount"},
        // Not above the nodes, or covered again.
        {R"(,{"destination":"/dev/dr","type":"bind","source":"/x"})",
         "/dev/kfd node+rule, /dev/dri/renderD128 node+rule", ""},
        {R"(,{"destination":"/","type":"bind","source":"/x"})",
         "/dev/kfd node+rule, /dev/dri/renderD128 node+rule", ""},
        {R"(,{"destination":"/dev","type":"bind","source":"/dev"},)"
         R"({"destination":"/dev/dri","type":"tmpfs","source":"tmpfs"})",
         "/dev/kfd rule, /dev/dri/renderD128 node+rule", "/dev/kfd comes from the bind mount"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.mounts);
        SpecParts spec = amd_spec("0");
        spec.mounts = row.mounts;
        const plan::Plan plan = planned(parts.get(), spec.view());
        CHECK(devices_of(plan) == row.devices);
        CHECK(has_notice(plan, "bind mount") == (*row.notice != '\0'));
        if (*row.notice) CHECK(has_notice(plan, row.notice));
    }
}

TEST_CASE("GPUs meant by devices in the spec") {
    InventoryParts parts = one_amd();
    parts.amd("RX 7900 XTX", 110000, 129).nvidia("H100", 0).nvidia("H100", 1).libcuda();
    const std::string kfd = device("/dev/kfd", 236, 0);
    const std::string ctl = device("/dev/nvidiactl", 195, 255);
    const auto titles = [&](const std::string& devices, const std::string& mounts = {},
                            const std::string& rules = kDenyAll) -> std::string {
        SpecParts spec;
        spec.devices = devices;
        spec.mounts = mounts;
        spec.rules = rules;
        const auto plan = try_plan(parts.get(), spec.view());
        if (!plan) return plan.error().text();
        std::string text;
        for (const inventory::Gpu& gpu : plan->gpus)
            text += (gpu.vendor == inventory::Vendor::Amd ? "A" : "N") + std::to_string(gpu.index);
        return text;
    };
    CHECK(titles(kfd + "," + device("/dev/dri/renderD129", 226, 129)) == "A1");
    CHECK(titles(kfd + "," + device("/dev/dri/renderD129", 226, 129) + "," +
                 device("/dev/dri/renderD128", 226, 128)) == "A0A1");
    // Under another name the numbers tell.
    CHECK(titles(kfd + "," + device("/dev/dri/renderD200", 226, 129)) == "A1");
    // A card node alone cannot compute.
    CHECK(titles(kfd + "," + device("/dev/dri/card0", 226, 0)).starts_with("GTY-204: "));
    const std::string alone = titles(kfd);
    CHECK(alone.starts_with("GTY-204: /dev/kfd is passed"));
    CHECK(alone.find("0 (RX 7900 XTX, 0000:01:00.0)") != std::string::npos);
    // /dev/dri by a bind mount, with rules for it: that is a render node too.
    const std::string dri = R"(,{"destination":"/dev/dri","type":"bind","source":"/dev/dri"})";
    CHECK(titles(kfd, dri).starts_with("GTY-204: "));
    CHECK(titles(kfd, dri, std::string(kDenyAll) + "," + allow(226, 129)) == "A1");
    CHECK(titles(kfd, dri,
                 std::string(kDenyAll) + R"(,{"allow":true,"type":"c","major":226,"access":"rwm"})") ==
          "A0A1");

    CHECK(titles(ctl + "," + device("/dev/nvidia1", 195, 1)) == "N1");
    CHECK(titles(ctl + "," + device("/dev/nvidia7", 195, 7)).starts_with("GTY-203: NVIDIA device"));

    // Of GPU 0 the host tells too little: its node alone or with another's, or any
    // where none is known, is not for us to judge.
    inventory::Gpu& lost = parts.get().gpus[0];
    lost.nodes.clear();
    lost.unusable = "/sys/x is empty";
    lost.unread = true;
    const std::string d128 = device("/dev/dri/renderD128", 226, 128);
    const std::string d129 = device("/dev/dri/renderD129", 226, 129);
    CHECK(titles(kfd + "," + d129) == "A1");
    for (const std::string& devices : {kfd + "," + d128, kfd + "," + d128 + "," + d129, kfd})
        CHECK_THAT(titles(devices), Catch::StartsWith("GTY-301: ") &&
                                        Catch::Contains("/sys/x is empty"));
    CHECK(titles(ctl + "," + device("/dev/nvidia1", 195, 1)) == "N1");
    parts.get().gpus[2].unusable = "/proc/y is empty";
    parts.get().gpus[2].unread = true;
    CHECK_THAT(titles(ctl + "," + device("/dev/nvidia7", 195, 7)), Catch::StartsWith("GTY-301: "));

    parts.get().gpus.clear();
    CHECK(titles(kfd).starts_with("GTY-204: No AMD GPU stands behind /dev/kfd"));
    const std::string none = titles(ctl + "," + device("/dev/nvidia1", 195, 1));
    CHECK(none.starts_with("GTY-203: "));
    CHECK(none.find("gantryctl list") != std::string::npos);
}

TEST_CASE("rootless Podman's --device, a bind mount, grants the GPU behind it and no other") {
    InventoryParts parts = one_amd();
    parts.amd("RX 7900 XTX", 110000, 129);
    const auto bind = [](const std::string& path) {
        return R"(,{"destination":")" + path + R"(","type":"bind","source":")" + path +
               R"(","options":["rbind","rw"]})";
    };
    SpecParts spec;
    spec.linux_more = R"(,"namespaces":[{"type":"user"}])";
    spec.mounts = bind("/dev/kfd") + bind("/dev/dri/renderD129");
    const plan::Plan plan = planned(parts.get(), spec.view());
    REQUIRE(plan.gpus.size() == 1);
    CHECK(plan.gpus[0].index == 1);
    // The mounts stay the engine's.
    for (const oci::DeviceEdit& edit : plan.edits.devices) CHECK_FALSE(edit.add_node);

    spec.mounts = bind("/dev/kfd") + bind("/dev/dri/card1");
    CHECK(error_of(parts.get(), spec).starts_with("GTY-204: "));
}
