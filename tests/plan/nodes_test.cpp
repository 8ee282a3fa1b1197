#include "catch.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

InventoryParts one_amd(NodeMode mode = {0660, 110}) {
    InventoryParts parts;
    parts.cpu().kfd(mode).amd("RX 7900 XTX", 110000, 128, mode);
    return parts;
}

SpecParts amd_spec(const std::string& value = "all") {
    SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=" + value};
    return parts;
}

std::string error_of(const inventory::Inventory& inventory, const SpecParts& spec) {
    const auto plan = try_plan(inventory, spec.view());
    return plan ? "planned" : plan.error().text();
}

}  // namespace

TEST_CASE("a granted GPU gets its nodes, rules and groups, and nothing else") {
    InventoryParts parts;
    parts.cpu().kfd({0660, 105, 0}).amd("RX 7900 XTX", 110000, 128, {0640, 44, 3});
    parts.amd("RX 7900 XTX", 110000, 129);
    const plan::Plan plan = planned(parts.get(), amd_spec("0").view());
    CHECK(devices_of(plan) == "/dev/kfd node+rule, /dev/dri/renderD128 node+rule");
    const oci::DeviceEdit& render = plan.edits.devices[1];
    CHECK(render.type == 'c');
    CHECK(render.major == 226);
    CHECK(render.minor == 128);
    CHECK(render.file_mode == 0640);
    CHECK(render.uid == 3);
    CHECK(render.gid == 44);
    CHECK(render.permissions == "rw");
    CHECK(gids_of(plan) == "105");
    CHECK(plan.edits.mounts.empty());
    CHECK(plan.edits.env.empty());
    REQUIRE(plan.gpus.size() == 1);
    CHECK(plan.expectation.amd_gpus == 1);
    CHECK(plan.expectation.nvidia_gpus == 0);
    REQUIRE(plan.expectation.nodes.size() == 2);
    CHECK(plan.expectation.nodes[0].role == probe::NodeRole::AmdKfd);
    CHECK(plan.expectation.nodes[1].path == "/dev/dri/renderD128");
    CHECK(plan.expectation.nodes[1].gpu == "AMD GPU 0 (RX 7900 XTX)");
    CHECK(plan.expectation.simulated);
}

TEST_CASE("no request plans nothing") {
    InventoryParts parts = one_amd();
    parts.nvidia("H100", 0).libcuda();
    const plan::Plan plan = planned(parts.get(), SpecParts{}.view());
    CHECK(plan.edits.empty());
    CHECK(plan.gpus.empty());
    CHECK(plan.expectation.nodes.empty());
}

TEST_CASE("groups come from the nodes' numbers, not from names") {
    // renderD128 is open to everybody, renderD129 to root alone.
    InventoryParts parts;
    parts.cpu()
        .kfd({0660, 488})
        .amd("A", 110000, 128, {0666, 488})
        .amd("B", 110000, 129, {0660, 0});
    SpecParts spec = amd_spec();

    SECTION("the group is there already") {
        spec.user += R"(,"additionalGids":[27,488])";
        CHECK(gids_of(planned(parts.get(), spec.view())).empty());
    }
    SECTION("it is added once") { CHECK(gids_of(planned(parts.get(), spec.view())) == "488"); }
    SECTION("it is the process's own") {
        spec.user = R"("uid":1000,"gid":488)";
        CHECK(gids_of(planned(parts.get(), spec.view())).empty());
    }
    SECTION("nothing for a node that everybody may open") {
        parts.get().amd_control[0].mode = 0666;
        CHECK(gids_of(planned(parts.get(), spec.view())).empty());
    }
    const plan::Plan plan = planned(parts.get(), spec.view());
    CHECK(has_notice(plan, "uid 1000 cannot open /dev/dri/renderD129"));
    CHECK_FALSE(has_notice(plan, "/dev/kfd"));
    CHECK_FALSE(has_notice(plan, "renderD128"));
}

TEST_CASE("who can open a node without a group is not warned") {
    const struct {
        NodeMode mode;
        const char* user;
        bool warned;
        const char* gids;
    } cases[] = {
        {{0660, 0, 0}, R"("uid":1000,"gid":1000)", true, ""},
        {{0660, 0, 0}, R"("uid":0,"gid":0)", false, ""},
        {{0600, 110, 0}, R"("uid":0,"gid":0)", false, ""},
        {{0600, 110, 1000}, R"("uid":1000,"gid":1000)", false, ""},
        {{0640, 110, 0}, R"("uid":1000,"gid":1000)", true, ""},
        {{0400, 110, 1000}, R"("uid":1000,"gid":1000)", true, ""},
        {{0664, 110, 0}, R"("uid":1000,"gid":1000)", false, "110"},
        {{0666, 110, 0}, R"("uid":1000,"gid":1000)", false, ""},
        {{0060, 110, 0}, R"("uid":1000,"gid":1000)", false, "110"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.mode.mode, row.mode.gid, row.mode.uid, row.user);
        SpecParts spec = amd_spec();
        spec.user = row.user;
        const plan::Plan plan = planned(one_amd(row.mode).get(), spec.view());
        CHECK(has_notice(plan, "cannot open") == row.warned);
        CHECK(gids_of(plan) == row.gids);
    }
}

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

TEST_CASE("the node that counts for groups is the one the container sees") {
    const struct {
        const char* node;  // members of the spec's entry
        const char* gids;
        bool warned;
    } cases[] = {
        {"", "", false},  // absent fileMode is 0666
        {R"(,"fileMode":432,"uid":0,"gid":777)", "777", false},
        {R"(,"fileMode":8624,"uid":0,"gid":777)", "777", false},  // with file-type bits
        {R"(,"fileMode":438,"gid":777)", "", false},
        {R"(,"fileMode":384,"uid":0,"gid":777)", "", true},
        {R"(,"fileMode":432)", "", true},
    };
    for (const auto& row : cases) {
        CAPTURE(row.node);
        SpecParts spec = amd_spec();
        spec.devices = device("/dev/kfd", 236, 0, row.node);
        InventoryParts parts;
        parts.cpu().kfd().amd("A", 110000, 128, {0666});
        const plan::Plan plan = planned(parts.get(), spec.view());
        CHECK(devices_of(plan) == "/dev/kfd rule, /dev/dri/renderD128 node+rule");
        CHECK(gids_of(plan) == row.gids);
        CHECK(has_notice(plan, "cannot open /dev/kfd") == row.warned);
    }
}

TEST_CASE("another device in a GPU's place is refused") {
    InventoryParts parts = one_amd();
    parts.amd("RX 7900 XTX", 110000, 129);
    SpecParts spec = amd_spec("0");
    spec.devices = device("/dev/dri/renderD128", 226, 129);
    std::string text = error_of(parts.get(), spec);
    CHECK(text.starts_with("GTY-205: AMD GPU 0 (RX 7900 XTX): /dev/dri/renderD128"));
    CHECK(text.find("226:128 on the host") != std::string::npos);
    CHECK(text.find("puts c 226:129 there") != std::string::npos);

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

TEST_CASE("a rule is added where the spec's rules do not settle it") {
    const struct {
        std::string rules;
        bool added;  // on runc; rules_on_crun differs for "" alone
    } cases[] = {
        {"", true},
        {kDenyAll, true},
        {kAllowAll, false},
        {std::string(kDenyAll) + "," + allow(236, 0, "rw"), false},
        {std::string(kDenyAll) + "," + allow(236, 0, "wmr"), false},
        {std::string(kDenyAll) + "," + allow(236, 0, "r"), true},
        {std::string(kDenyAll) + "," + allow(236, 1, "rwm"), true},
        {std::string(kDenyAll) + R"(,{"allow":true,"type":"b","major":236,"access":"rw"})", true},
        {std::string(kDenyAll) + R"(,{"allow":true,"type":"c","major":236,"access":"rw"})", false},
        {std::string(kDenyAll) + R"(,{"allow":true,"type":"c","major":-1,"minor":-1,"access":"rwm"})",
         false},
        {allow(236, 0, "rwm") + "," + kDenyAll, true},  // the last one decides
        {std::string(kAllowAll) + R"(,{"allow":false,"type":"c","major":236,"minor":0,"access":"w"})",
         true},
    };
    for (const auto& row : cases) {
        CAPTURE(row.rules);
        SpecParts spec = amd_spec();
        spec.rules = row.rules;
        const plan::Plan runc = planned(one_amd().get(), spec.view());
        CHECK(runc.edits.devices[0].add_rule == row.added);
        // Without any rule crun lets everything through, and one rule would
        // take the rest away.
        const plan::Plan crun =
            planned(one_amd().get(), spec.view(), {}, oci::RuntimeKind::Crun);
        CHECK(crun.edits.devices[0].add_rule == (row.added && !row.rules.empty()));
    }
}

TEST_CASE("in a user namespace groups are the container's numbers") {
    const std::string userns = R"(,"namespaces":[{"type":"user"}],"uidMappings":)"
                               R"([{"containerID":0,"hostID":1000,"size":1},)"
                               R"({"containerID":1,"hostID":100000,"size":65536}],"gidMappings":)";
    const std::string single = R"([{"containerID":0,"hostID":1000,"size":1}])";
    const std::string mapped =
        R"([{"containerID":0,"hostID":1000,"size":1},{"containerID":1,"hostID":100000,"size":44},)"
        R"({"containerID":45,"hostID":44,"size":1},{"containerID":46,"hostID":100045,"size":60},)"
        R"({"containerID":106,"hostID":105,"size":1},{"containerID":107,"hostID":100106,"size":9}])";
    const std::string usual =
        R"([{"containerID":0,"hostID":1000,"size":1},{"containerID":1,"hostID":100000,"size":65536}])";
    const std::string by_path = R"(,"namespaces":[{"type":"user","path":"/proc/1/ns/user"}])";
    const struct {
        std::string linux_more;
        const char* gids;
        bool warned;
    } cases[] = {
        {userns + mapped, "106", false},
        {userns + usual, "", true},
        {userns + single, "", true},
        {userns + "[]", "", true},
        {by_path, "", true},  // what it maps is not known
        {by_path + R"(,"gidMappings":)" + mapped, "106", false},
        {R"(,"gidMappings":)" + mapped, "105", false},  // mappings of no namespace
    };
    for (const auto& row : cases) {
        CAPTURE(row.linux_more);
        SpecParts spec = amd_spec();
        spec.user = R"("uid":0,"gid":0)";
        spec.linux_more = row.linux_more;
        const plan::Plan plan = planned(one_amd({0660, 105}).get(), spec.view());
        CHECK(gids_of(plan) == row.gids);
        CHECK(has_notice(plan, "host group 105 of the GPU's nodes is not mapped") == row.warned);
        CHECK(plan.notices.size() == (row.warned ? 1 : 0));  // said once
        if (row.warned) {
            CHECK(has_notice(plan, "subgid range"));
            CHECK(has_notice(plan, "keep-groups"));
        }
        // The owner stays root's or is left out: numbers of the host mean
        // somebody else in there.
        if (row.linux_more.find("\"user\"") != std::string::npos)
            for (const oci::DeviceEdit& edit : plan.edits.devices) {
                CHECK(edit.uid == 0);
                CHECK(edit.gid == 0);
            }
        // Devices already in the spec are the host's own nodes in there.
        spec.devices = device("/dev/kfd", 236, 0, R"(,"fileMode":432,"gid":44)");
        CHECK(gids_of(planned(one_amd({0660, 105}).get(), spec.view())) ==
              (row.linux_more.find("\"user\"") != std::string::npos ? row.gids : "44,105"));
    }
    SpecParts spec = amd_spec();
    spec.linux_more = userns + single;
    spec.annotations = R"("run.oci.keep_original_groups":"1")";
    CHECK(planned(one_amd({0660, 105}).get(), spec.view()).notices.empty());
}

TEST_CASE("root of a user namespace is no root to a node that only root may open") {
    SpecParts spec = amd_spec();
    spec.user = R"("uid":0,"gid":0)";
    spec.linux_more = R"(,"namespaces":[{"type":"user"}],"uidMappings":)"
                      R"([{"containerID":0,"hostID":1000,"size":1}],"gidMappings":)"
                      R"([{"containerID":0,"hostID":1000,"size":1}])";
    CHECK(has_notice(planned(one_amd({0660, 0, 0}).get(), spec.view()), "uid 0 cannot open"));
    CHECK_FALSE(has_notice(planned(one_amd({0600, 0, 1000}).get(), spec.view()), "cannot open"));
}

TEST_CASE("a privileged container is told that the selection is not enforced") {
    InventoryParts parts;
    parts.cpu().kfd().amd("RX 7900 XTX", 110000, 128).nvidia("H100", 0).nvidia("H100", 1).libcuda();
    SpecParts spec;
    spec.env = {"NVIDIA_VISIBLE_DEVICES=1", "AMD_VISIBLE_DEVICES=0"};
    spec.rules = kAllowAll;
    spec.devices = device("/dev/nvidia0", 195, 0) + "," + device("/dev/nvidia1", 195, 1) + "," +
                   device("/dev/dri/renderD128", 226, 128, R"(,"fileMode":432,"gid":110)");
    const plan::Plan plan = planned(parts.get(), spec.view());
    CHECK(devices_of(plan) ==
          "/dev/kfd node, /dev/nvidiactl node, /dev/nvidia-uvm node, /dev/nvidia-uvm-tools node");
    CHECK(has_notice(plan, "is privileged"));
    CHECK(has_notice(plan, "selection is not enforced"));
    CHECK(plan.gpus.size() == 2);
    CHECK(plan.edits.mounts.size() == 2);
    spec.rules = kDenyAll;
    CHECK_FALSE(has_notice(planned(parts.get(), spec.view()), "privileged"));
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
    parts.get().gpus.clear();
    CHECK(titles(kfd).starts_with("GTY-204: No AMD GPU stands behind /dev/kfd"));
    const std::string none = titles(ctl + "," + device("/dev/nvidia1", 195, 1));
    CHECK(none.starts_with("GTY-203: "));
    CHECK(none.find("gantryctl list") != std::string::npos);
}
