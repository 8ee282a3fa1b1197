// inject = false: what others injected is expected, and nothing is edited.
#include "catch.hpp"
#include "plan/one_amd.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

plan::Plan checked(const inventory::Inventory& inventory, const oci::SpecView& spec) {
    auto plan = try_plan(inventory, spec, {}, oci::RuntimeKind::Runc, {.inject = false});
    if (!plan) throw std::runtime_error(plan.error().text());
    CHECK(plan->edits.empty());
    return std::move(*plan);
}

std::string nodes_of(const plan::Plan& plan) {
    std::vector<std::string> words;
    for (const probe::ExpectedNode& node : plan.expectation.nodes) words.push_back(node.path);
    return join(words, " ");
}

}  // namespace

TEST_CASE("the AMD nodes of the spec are what is expected, with what is missing as notices") {
    SpecParts parts;
    parts.devices = device("/dev/kfd", 236, 0, R"(,"fileMode":432,"gid":110)") + "," +
                    device("/dev/dri/renderD128", 226, 128);
    parts.rules = std::string(kDenyAll) + "," + allow(236, 0);
    const plan::Plan plan = checked(one_amd().get(), parts.view());
    CHECK(nodes_of(plan) == "/dev/kfd /dev/dri/renderD128");
    CHECK(plan.expectation.amd.size() == 1);
    REQUIRE(plan.gpus.size() == 1);
    CHECK(has_notice(plan, "an allow rule for /dev/dri/renderD128 is missing"));
    CHECK(has_notice(plan, "group 110 is missing"));
    CHECK_FALSE(has_notice(plan, "rule for /dev/kfd"));
    parts.user = R"("uid":0,"gid":0)";
    CHECK_FALSE(has_notice(checked(one_amd().get(), parts.view()), "group"));
}

TEST_CASE("an override that a GPU needs, and an empty one, are told of and not set") {
    InventoryParts host;
    host.cpu().kfd({0666}).amd("RX 6700 XT", 100301, 128, {0666});
    SpecParts parts;
    parts.devices = device("/dev/kfd", 236, 0) + "," + device("/dev/dri/renderD128", 226, 128);
    CHECK(has_notice(checked(host.get(), parts.view()), "HSA_OVERRIDE_GFX_VERSION=10.3.0 is miss"));
    InventoryParts native = one_amd();
    parts.env = {"HSA_OVERRIDE_GFX_VERSION="};
    CHECK(has_notice(checked(native.get(), parts.view()), "HSA_OVERRIDE_GFX_VERSION is empty"));
}

TEST_CASE("an NVIDIA node counts where the spec puts it; what the spec lacks is not expected") {
    InventoryParts host;
    host.nvidia("H100", 0).nvidia("H100", 1);
    SpecParts parts;
    parts.devices = device("/dev/nvidiactl", 195, 255) + "," + device("/dev/nvidia0", 195, 1);
    const plan::Plan plan = checked(host.get(), parts.view());
    CHECK(nodes_of(plan) == "/dev/nvidiactl /dev/nvidia0");
    REQUIRE(plan.gpus.size() == 1);
    CHECK(plan.gpus[0].index == 1);
    CHECK(plan.expectation.nvidia.size() == 1);
}

TEST_CASE("libraries of another version than the kernel module are a stale CDI spec") {
    InventoryParts host;
    host.nvidia("H100", 0);
    SpecParts parts;
    parts.devices = device("/dev/nvidiactl", 195, 255) + "," + device("/dev/nvidia0", 195, 0);
    const auto with = [&](const std::string& name) {
        parts.mounts = R"(,{"destination":"/usr/lib64/)" + name +
                       R"(","source":"/x","type":"bind","options":["bind"]})";
        return has_notice(checked(host.get(), parts.view()), "nvidia-ctk cdi generate");
    };
    CHECK(with("libcuda.so.530.30.02"));
    CHECK_FALSE(with("libcuda.so.535.161.08"));
    CHECK_FALSE(with("libcuda.so.1"));
    CHECK_FALSE(with("libcudart.so.530.1"));
}

TEST_CASE("of NVIDIA's hook is expected what its variable and capabilities make it inject") {
    InventoryParts host;
    host.nvidia("H100", 0).nvidia("H100", 1);
    const auto hooked = [&](std::vector<std::string> env) {
        SpecParts parts;
        parts.env = std::move(env);
        std::string text = parts.json();
        text.insert(1, R"("hooks":{"prestart":[{"path":"/usr/bin/nvidia-container-runtime-hook"}]},)");
        return checked(host.get(), spec_view(text));
    };
    plan::Plan plan = hooked({"NVIDIA_VISIBLE_DEVICES=1"});
    CHECK(nodes_of(plan) == "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia1");
    CHECK(plan.expectation.nvidia.size() == 1);
    plan = hooked({"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=utility, compute"});
    CHECK(nodes_of(plan) == "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1");
    // Without compute there is neither the memory node nor libcuda.
    plan = hooked({"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=utility"});
    CHECK(nodes_of(plan) == "/dev/nvidiactl /dev/nvidia0 /dev/nvidia1");
    CHECK(plan.expectation.nvidia.size() == 0);
    plan = hooked({"NVIDIA_VISIBLE_DEVICES=MIG-1-2-3"});
    CHECK(nodes_of(plan) == "/dev/nvidiactl /dev/nvidia-uvm");
    CHECK(has_notice(plan, "only its control nodes are checked"));
    plan = hooked({"NVIDIA_VISIBLE_DEVICES=none"});
    CHECK(plan.gpus.empty());
}

TEST_CASE("nodes without a GPU behind them are refused without injection too") {
    InventoryParts host;
    host.nvidia("H100", 0);
    SpecParts parts;
    parts.devices = device("/dev/kfd", 236, 0);
    const auto plan =
        try_plan(host.get(), parts.view(), {}, oci::RuntimeKind::Runc, {.inject = false});
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Code::KfdWithoutRender);
}
