// Device plugins and exporters start where there is nothing to give.
#include "catch.hpp"
#include "plan/one_amd.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

Result<plan::Plan> plan_in(const std::string& name_space, const std::vector<std::string>& env,
                           const inventory::Inventory& inventory) {
    SpecParts parts;
    parts.env = env;
    parts.annotations = R"("io.kubernetes.cri.container-type":"container",)"
                        R"("io.kubernetes.cri.sandbox-namespace":")" + name_space + "\"";
    return try_plan(inventory, parts.view(), {}, oci::RuntimeKind::Runc,
                    {.environment = request::EnvironmentPolicy::Allow,
                     .trusted_namespaces = {"gpu-tools"}});
}

}  // namespace

TEST_CASE("a trusted node tool that asks for all starts on a node without a GPU") {
    const InventoryParts none;
    for (const char* entry : {"AMD_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=all"}) {
        const auto plan = plan_in("gpu-tools", {entry}, none.get());
        REQUIRE(plan);
        CHECK(plan->edits.devices.empty());
        CHECK(has_notice(*plan, "a trusted node tool starts without"));
        CHECK(plan_in("default", {entry}, none.get()).error().code == Code::NoGpu);
    }
    // A GPU by its number is a wish that cannot be met.
    CHECK(plan_in("gpu-tools", {"AMD_VISIBLE_DEVICES=0"}, none.get()).error().code == Code::NoGpu);
    InventoryParts broken = one_amd();
    broken.unusable("its driver gave up");
    CHECK(plan_in("gpu-tools", {"AMD_VISIBLE_DEVICES=all"}, broken.get()));
    // One that cannot be read is left out for it, the others are given.
    InventoryParts two;
    two.cpu().kfd().amd("RX 7900 XTX", 110000, 128).unusable("/sys/x is empty");
    two.get().gpus.back().unread = true;
    two.amd("RX 6700 XT", 100301, 129);
    const auto rest = plan_in("gpu-tools", {"AMD_VISIBLE_DEVICES=all"}, two.get());
    REQUIRE(rest);
    REQUIRE(rest->gpus.size() == 1);
    CHECK(rest->gpus[0].index == 1);
    CHECK(has_notice(*rest, "/sys/x is empty"));
    CHECK(plan_in("default", {"AMD_VISIBLE_DEVICES=all"}, two.get()).error().code ==
          Code::HostUnreadable);
}

TEST_CASE("a trusted node tool starts without driver libraries, and gets the nodes") {
    InventoryParts host;
    host.nvidia("H100", 0);  // no libcuda on the host
    const auto plan = plan_in("gpu-tools", {"NVIDIA_VISIBLE_DEVICES=all"}, host.get());
    REQUIRE(plan);
    CHECK(plan->gpus.size() == 1);
    CHECK(has_notice(*plan, "starts without them"));
    CHECK(plan_in("default", {"NVIDIA_VISIBLE_DEVICES=all"}, host.get()).error().code ==
          Code::DriverFilesMissing);
}
