// Device nodes, allow rules and supplementary groups.
#include <algorithm>

#include "base/text.hpp"
#include "plan/container_view.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using inventory::Gpu;
using inventory::Vendor;

constexpr std::uint32_t kOwnerReadWrite = 0600;
constexpr std::uint32_t kGroupReadWrite = 0060;
constexpr std::uint32_t kWorldReadWrite = 0006;
// What runc and crun give a device whose fileMode is absent.
constexpr std::uint32_t kDefaultFileMode = 0666;

void notice_once(Plan& plan, std::string text) {
    if (std::ranges::find(plan.notices, text) == plan.notices.end())
        plan.notices.push_back(std::move(text));
}

bool process_may_open(const oci::SpecView& spec, const host::DeviceNode& node) {
    const bool real_root = spec.uid == 0 && !spec.find_namespace("user");
    return real_root || ((node.mode & kOwnerReadWrite) == kOwnerReadWrite &&
                         host_uid_of_process(spec) == node.uid);
}

// `node` as the container sees it.
void add_group(const Context& context, const host::DeviceNode& node, Plan& plan) {
    if ((node.mode & kWorldReadWrite) == kWorldReadWrite) return;
    const oci::SpecView& spec = context.spec;
    if ((node.mode & kGroupReadWrite) != kGroupReadWrite || node.gid == 0) {
        if (!process_may_open(spec, node))
            notice_once(plan, "uid " + std::to_string(spec.uid) + " cannot open " + node.path +
                                  ": neither its group nor others may; give it a group of its "
                                  "own by a udev rule");
        return;
    }
    const auto gid = container_gid(spec, node.gid);
    if (!gid) {
        // Never set by us: it would hand the engine's groups to the image.
        if (!spec.annotations.contains("run.oci.keep_original_groups"))
            notice_once(plan, "host group " + std::to_string(node.gid) +
                                  " of the GPU's nodes is not mapped into the container's user "
                                  "namespace: map it by a subgid range, or keep the engine's "
                                  "groups (podman run --group-add keep-groups)");
        return;
    }
    const auto& have = spec.additional_gids;
    auto& added = plan.edits.additional_gids;
    if (*gid == spec.gid || std::ranges::find(have, *gid) != have.end() ||
        std::ranges::find(added, *gid, &oci::GidEdit::gid) != added.end())
        return;
    added.push_back({*gid, "group of " + node.path + " on the host"});
}

std::string numbers(std::string_view type, std::int64_t major, std::int64_t minor) {
    return std::string(type) + " " + std::to_string(major) + ":" + std::to_string(minor);
}

// "u" is an old word for "c". A bind mount has no numbers but the host's.
bool is_same_device(const oci::SpecDevice& device, const host::DeviceNode& node) {
    if (device.type == request::kBoundDevice) return device.path == node.path;
    return (device.type == "u" ? "c" : device.type) == std::string(1, node.type) &&
           device.major == node.major && device.minor == node.minor;
}

Error shadowed(const host::DeviceNode& node, const oci::SpecDevice& device,
               const std::string& gpu) {
    return {Code::DeviceShadowed,
            gpu + ": " + node.path + " is " +
                numbers(std::string(1, node.type), node.major, node.minor) +
                ", and " + numbers(printable(device.type, 8), device.major, device.minor) +
                " in the container",
            "Remove that --device option or map it to its own path"};
}

// A node that compute needs, of no GPU of the grant.
bool passes_another(const request::VendorRequest& request, const Grant& grant) {
    constexpr std::string_view kRender = "/dev/dri/renderD", kNvidia = "/dev/nvidia";
    return std::ranges::any_of(request.devices, [&](const oci::SpecDevice& device) {
        const std::string path = oci::clean_path(device.path);
        const bool gpu = path.starts_with(kRender) ||
                         (path.starts_with(kNvidia) && parse_decimal(path.substr(kNvidia.size())));
        return gpu && std::ranges::none_of(grant, [&](const Gpu* granted) {
            return std::ranges::any_of(granted->nodes, [&](const host::DeviceNode& node) {
                return is_same_device(device, node);
            });
        });
    });
}

}  // namespace

Status plan_node(const Context& context, const host::DeviceNode& node, probe::NodeRole role,
                 const std::string& gpu, const std::string& reason, Plan& plan) {
    const oci::SpecView& spec = context.spec;
    // Owner 0:0 is what a user namespace shows as its root or as nobody: there
    // the runtimes bind-mount the host's node and its own owner stays.
    const bool user_namespace = spec.find_namespace("user") != nullptr;
    oci::DeviceEdit edit{node.path, node.type, node.major, node.minor, node.mode,
                         user_namespace ? 0 : node.uid, user_namespace ? 0 : node.gid, "rw",
                         true, true, reason};
    host::DeviceNode seen = node;  // what the container will see

    if (const oci::SpecDevice* device = find_device(spec, node.path)) {
        if (!is_same_device(*device, node)) return std::unexpected(shadowed(node, *device, gpu));
        edit.add_node = false;
        if (!user_namespace) {
            seen.mode = device->file_mode.value_or(kDefaultFileMode) & 07777;
            seen.uid = device->uid.value_or(0);
            seen.gid = device->gid.value_or(0);
        }
    } else if (const oci::SpecMount* bind = covering_bind(spec, node.path)) {
        edit.add_node = false;
        notice_once(plan, node.path + " comes from the bind mount of " +
                              oci::clean_path(bind->destination));
    }
    if (rules_allow(spec, node)) edit.add_rule = false;
    // To crun no rules at all means that everything is allowed; one rule would
    // take the rest away. runc denies by default and needs the rule.
    if (spec.device_rules.empty() && context.runtime == oci::RuntimeKind::Crun)
        edit.add_rule = false;
    if (edit.add_node || edit.add_rule) plan.edits.devices.push_back(edit);
    add_group(context, seen, plan);
    plan.expectation.nodes.push_back({role, node.path, node.major, node.minor, gpu});
    return {};
}

Result<Grant> match_spec_devices(const Context& context, Vendor vendor) {
    const request::VendorRequest& request =
        vendor == Vendor::Amd ? context.request.amd : context.request.nvidia;
    Grant grant;
    for (const Gpu* gpu : context.inventory.of(vendor)) {
        if (!gpu->unusable.empty()) continue;
        const bool passed = std::ranges::any_of(gpu->nodes, [&](const host::DeviceNode& node) {
            const bool compute = vendor == Vendor::Nvidia || &node == gpu->render_node();
            const auto same = [&](const oci::SpecDevice& d) { return is_same_device(d, node); };
            // /dev/dri may also come by a bind mount beside --device /dev/kfd.
            return compute && (std::ranges::any_of(request.devices, same) ||
                               opens_already(context, node));
        });
        if (passed) grant.push_back(gpu);
    }
    const std::string unread = context.inventory.unread(vendor);
    if (!unread.empty() && (grant.empty() || passes_another(request, grant)))
        return fail(Code::HostUnreadable,
                    std::string(vendor == Vendor::Amd ? "AMD" : "NVIDIA") +
                        " GPUs not all known: " + unread,
                    "Pass the nodes of others; dmesg tells of this one, which may be passed to the "
                    "container. There are: " + describe_gpus(context.inventory, vendor));
    if (!grant.empty()) return grant;
    const std::string existing = describe_gpus(context.inventory, vendor);
    const bool any = !context.inventory.of(vendor).empty();
    if (vendor == Vendor::Nvidia)
        return fail(Code::NoGpu,
                    "NVIDIA device nodes are passed, and none is of a usable GPU of this host",
                    any ? "Pass one of: " + existing : "See why with: gantryctl list");
    if (!any)
        return fail(Code::KfdWithoutRender,
                    "No AMD GPU stands behind /dev/kfd on this host, but the container asks for it",
                    "Check that the amdgpu driver is bound to the GPU (gantryctl list), or remove "
                    "--device /dev/kfd");
    return fail(Code::KfdWithoutRender,
                "/dev/kfd is passed without a render node of an AMD GPU",
                "Add --device /dev/dri/renderD<N>, or use AMD_VISIBLE_DEVICES instead: " + existing);
}

}  // namespace gantry::plan
