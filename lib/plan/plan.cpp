#include "plan/plan.hpp"

#include "base/text.hpp"
#include "inventory/gpu_peaks.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using inventory::Gpu;
using inventory::Vendor;
using request::Source;

Result<Grant> try_grant(const Context& context, Vendor vendor,
                        const request::VendorRequest& request) {
    if (request.source == Source::None) return Grant{};
    if (request.source == Source::SpecDevices) return match_spec_devices(context, vendor);
    return request::select_gpus(context.inventory, vendor, request);
}

// A node tool asks for all GPUs that there are, and must start where there is
// none, or one that cannot be told: it is there to say so.
Result<Grant> grant_gpus(const Context& context, Vendor vendor,
                         const request::VendorRequest& request, Plan& plan) {
    auto grant = try_grant(context, vendor, request);
    const bool excused = !grant && request.all && context.request.trusted_node_tool &&
                         (grant.error().code == Code::NoGpu ||
                          grant.error().code == Code::HostUnreadable);
    if (!excused) return grant;
    plan.notices.push_back(grant.error().message + "; a trusted node tool starts without");
    Grant usable = context.inventory.of(vendor);
    std::erase_if(usable, [](const Gpu* gpu) { return !gpu->unusable.empty(); });
    return usable;
}

Status plan_amd(const Context& context, const Grant& grant, Plan& plan) {
    if (grant.empty()) return {};
    for (const host::DeviceNode& node : context.inventory.amd_control)
        GANTRY_CHECK(plan_node(context, node, probe::NodeRole::AmdKfd, title(*grant.front()),
                               "the compute interface of every AMD GPU", plan));
    for (const Gpu* gpu : grant) {
        if (const host::DeviceNode* node = gpu->render_node())
            GANTRY_CHECK(plan_node(context, *node, probe::NodeRole::AmdRender, title(*gpu),
                                   "render node of " + title(*gpu), plan));
        plan.gpus.push_back(*gpu);
        plan.expectation.amd.push_back(expected(*gpu));
    }
    return plan_override(context, grant, plan);
}

probe::NodeRole nvidia_role(const host::DeviceNode& node) {
    return node.path.starts_with("/dev/nvidia-uvm") ? probe::NodeRole::NvidiaUvm
                                                    : probe::NodeRole::NvidiaControl;
}

// Control nodes of the compute and utility capabilities; a display is nobody's
// business here, so nvidia-modeset stays out.
constexpr const char* kNvidiaControl[] = {"/dev/nvidiactl", "/dev/nvidia-uvm",
                                          "/dev/nvidia-uvm-tools"};

Status plan_nvidia(const Context& context, const Grant& grant, Plan& plan) {
    if (grant.empty() && !context.request.nvidia.none) return {};
    const std::string first = grant.empty() ? "NVIDIA driver" : title(*grant.front());
    for (const char* path : kNvidiaControl) {
        bool found = false;
        for (const host::DeviceNode& node : context.inventory.nvidia_control) {
            if (node.path != path) continue;
            found = true;
            GANTRY_CHECK(plan_node(context, node, nvidia_role(node), first,
                                   "control node of the NVIDIA driver", plan));
        }
        if (!found)
            plan.notices.push_back(std::string(path) +
                                   " is missing on the host; make it with: nvidia-modprobe -u -c 0");
    }
    const bool compute = computes(context.spec);
    for (const Gpu* gpu : grant) {
        for (const host::DeviceNode& node : gpu->nodes)
            GANTRY_CHECK(plan_node(context, node, probe::NodeRole::NvidiaGpu, title(*gpu),
                                   "device node of " + title(*gpu), plan));
        plan.gpus.push_back(*gpu);
        if (compute) plan.expectation.nvidia.push_back(expected(*gpu));
    }
    auto files = plan_driver_files(context, plan);
    if (files || !context.request.trusted_node_tool) return files;
    plan.notices.push_back(files.error().message + "; a trusted node tool starts without them");
    return {};
}

}  // namespace

bool computes(const oci::SpecView& spec) {
    const auto capabilities = spec.env_value("NVIDIA_DRIVER_CAPABILITIES");
    if (!capabilities || trim(*capabilities).empty()) return true;
    for (const std::string_view capability : split(*capabilities, ','))
        if (trim(capability) == "compute" || trim(capability) == "all") return true;
    return false;
}

std::string title(const Gpu& gpu) {
    return std::string(gpu.vendor == Vendor::Amd ? "AMD" : "NVIDIA") + " GPU " +
           std::to_string(gpu.index) + " (" + gpu.name + ")";
}

probe::ExpectedGpu expected(const Gpu& gpu) {
    return {title(gpu), gpu.pci_address, inventory::peak_gflops(gpu.name)};
}

Result<Plan> make_plan(const inventory::Inventory& inventory, const request::Request& request,
                       const oci::SpecView& spec, const ImageFacts& image,
                       oci::RuntimeKind runtime) {
    const Context context{inventory, request, spec, image, runtime};
    Plan plan;
    plan.expectation.simulated = inventory.simulated;
    plan.notices = request.notices;
    if (!request.inject) {
        GANTRY_CHECK(plan_injected(context, plan));
        return plan;
    }
    GANTRY_TRY(const Grant amd, grant_gpus(context, Vendor::Amd, request.amd, plan));
    GANTRY_TRY(const Grant nvidia, grant_gpus(context, Vendor::Nvidia, request.nvidia, plan));
    GANTRY_CHECK(plan_amd(context, amd, plan));
    GANTRY_CHECK(plan_nvidia(context, nvidia, plan));
    if (spec.allows_all_devices())
        plan.notices.push_back(
            "the container is privileged: every GPU of the host stays open to it, the selection "
            "is not enforced");
    return plan;
}

}  // namespace gantry::plan
