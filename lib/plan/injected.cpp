// inject = false: others put the GPUs into the container. The expectation is
// what they injected; what they forgot becomes notices, not edits.
#include <algorithm>

#include "base/text.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using inventory::Gpu;
using inventory::Vendor;
using probe::NodeRole;
using request::Source;

bool is_same(const oci::SpecDevice& device, const host::DeviceNode& node) {
    return device.major == node.major && device.minor == node.minor &&
           (device.type == "u" ? "c" : device.type) == std::string(1, node.type);
}

// A node that the spec has counts where the spec puts it, which need not be its
// path on the host. One that it lacks is not expected.
Status expect_in_spec(const Context& context, const host::DeviceNode& node, NodeRole role,
                      const std::string& gpu, Plan& plan) {
    for (const oci::SpecDevice& device : context.spec.devices) {
        if (!is_same(device, node)) continue;
        const std::string path = oci::clean_path(device.path);
        if (path == node.path)
            return plan_node(context, node, role, gpu, "device node of " + gpu, plan);
        plan.expectation.nodes.push_back({role, path, node.major, node.minor, gpu});
        return {};
    }
    return {};
}

NodeRole nvidia_role(const host::DeviceNode& node) {
    return node.path.starts_with("/dev/nvidia-uvm") ? NodeRole::NvidiaUvm
                                                    : NodeRole::NvidiaControl;
}

Status expect_amd(const Context& context, Plan& plan) {
    if (context.request.amd.source != Source::SpecDevices) return {};
    GANTRY_TRY(const Grant grant, match_spec_devices(context, Vendor::Amd));
    for (const host::DeviceNode& node : context.inventory.amd_control)
        GANTRY_CHECK(
            expect_in_spec(context, node, NodeRole::AmdKfd, title(*grant.front()), plan));
    for (const Gpu* gpu : grant) {
        if (const host::DeviceNode* node = gpu->render_node())
            GANTRY_CHECK(expect_in_spec(context, *node, NodeRole::AmdRender, title(*gpu), plan));
        plan.gpus.push_back(*gpu);
        plan.expectation.amd.push_back(expected(*gpu));
    }
    return plan_override(context, grant, plan);
}

// Mounted libraries carry the version in their names. Those of another version
// than the kernel module's are what a CDI spec from before a driver update gives.
void note_stale_libraries(const Context& context, Plan& plan) {
    const std::string& version = context.inventory.nvidia_version;
    if (version.empty()) return;
    for (const oci::SpecMount& mount : context.spec.mounts) {
        const std::string path = oci::clean_path(mount.destination);
        const std::string name = path.substr(path.rfind('/') + 1);
        constexpr std::string_view kStem = "libcuda.so.";
        if (!name.starts_with(kStem)) continue;
        const std::string mounted = name.substr(kStem.size());
        if (mounted == "1" || mounted == version) continue;
        plan.notices.push_back(printable(name, 60) + " is mounted, but the kernel module is " +
                               version + ": the CDI spec is older than the driver; run "
                               "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
        return;
    }
}

Status expect_nvidia_devices(const Context& context, Plan& plan) {
    GANTRY_TRY(const Grant grant, match_spec_devices(context, Vendor::Nvidia));
    for (const host::DeviceNode& node : context.inventory.nvidia_control)
        GANTRY_CHECK(
            expect_in_spec(context, node, nvidia_role(node), title(*grant.front()), plan));
    for (const Gpu* gpu : grant) {
        for (const host::DeviceNode& node : gpu->nodes)
            GANTRY_CHECK(expect_in_spec(context, node, NodeRole::NvidiaGpu, title(*gpu), plan));
        plan.gpus.push_back(*gpu);
        plan.expectation.nvidia.push_back(expected(*gpu));
    }
    note_stale_libraries(context, plan);
    return {};
}

// The hook makes nodes at the host's paths, of which the spec says nothing.
Status expect_hook(const Context& context, Plan& plan) {
    const request::VendorRequest& asked = context.request.nvidia;
    const auto grant = request::select_gpus(context.inventory, Vendor::Nvidia, asked);
    if (!grant) {
        // MIG devices and names that the hook alone understands; what it does not
        // understand it refuses itself.
        plan.notices.push_back("what NVIDIA's hook injects for " + asked.variable + "=\"" +
                               printable(asked.value, 64) + "\" is not known here, and only " +
                               "its control nodes are checked");
    }
    const bool compute = computes(context.spec);
    const std::string first =
        grant && !grant->empty() ? title(*grant->front()) : std::string("NVIDIA driver");
    for (const host::DeviceNode& node : context.inventory.nvidia_control) {
        const bool uvm = node.path == "/dev/nvidia-uvm";
        if (node.path == "/dev/nvidiactl" || (uvm && compute))
            plan.expectation.nodes.push_back(
                {nvidia_role(node), node.path, node.major, node.minor, first});
    }
    if (!grant) return {};
    for (const Gpu* gpu : *grant) {
        for (const host::DeviceNode& node : gpu->nodes)
            plan.expectation.nodes.push_back(
                {NodeRole::NvidiaGpu, node.path, node.major, node.minor, title(*gpu)});
        plan.gpus.push_back(*gpu);
        if (compute) plan.expectation.nvidia.push_back(expected(*gpu));
    }
    return {};
}

void turn_edits_into_notices(const oci::SpecView& spec, Plan& plan) {
    const auto missing = [&plan](const std::string& what, const std::string& reason) {
        plan.notices.push_back(what + " is missing (" + reason +
                               "), and inject = false leaves it so");
    };
    for (const oci::DeviceEdit& edit : plan.edits.devices)
        missing("an allow rule for " + edit.path, edit.reason);
    // The host's root opens every node without its group.
    const bool needs_groups = spec.uid != 0 || spec.find_namespace("user");
    for (const oci::GidEdit& edit : plan.edits.additional_gids)
        if (needs_groups) missing("group " + std::to_string(edit.gid), edit.reason);
    for (const oci::EnvEdit& edit : plan.edits.env) {
        if (edit.value)
            missing(edit.name + "=" + *edit.value, edit.reason);
        else
            plan.notices.push_back(edit.name + " is empty: ROCm then finds no GPU; remove it");
    }
    plan.edits = {};
}

}  // namespace

Status plan_injected(const Context& context, Plan& plan) {
    GANTRY_CHECK(expect_amd(context, plan));
    if (context.request.nvidia.source == Source::SpecDevices)
        GANTRY_CHECK(expect_nvidia_devices(context, plan));
    if (context.request.nvidia.source == Source::Environment)
        GANTRY_CHECK(expect_hook(context, plan));
    turn_edits_into_notices(context.spec, plan);
    return {};
}

}  // namespace gantry::plan
