#include "catch.hpp"
#include "plan/one_amd.hpp"

using namespace gantry;
using namespace gantry::test;

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
    CHECK(plan.expectation.amd.size() == 1);
    CHECK(plan.expectation.nvidia.size() == 0);
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
