#include "catch.hpp"
#include "plan/one_amd.hpp"

using namespace gantry;
using namespace gantry::test;

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
