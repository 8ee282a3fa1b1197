// Device nodes, allow rules and supplementary groups.
#include <algorithm>

#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using inventory::Gpu;
using inventory::Vendor;

constexpr std::uint32_t kGroupReadWrite = 0060;
constexpr std::uint32_t kWorldReadWrite = 0006;
// What runc and crun give a device whose fileMode is absent.
constexpr std::uint32_t kDefaultFileMode = 0666;

const oci::SpecDevice* find_device(const oci::SpecView& spec, const std::string& path) {
    // mknod of a path that is there already is ignored by the runtimes: the
    // first entry wins.
    for (const oci::SpecDevice& device : spec.devices)
        if (oci::clean_path(device.path) == path) return &device;
    return nullptr;
}

// A bind mount at or above the path brings its own nodes: an entry in
// linux.devices would be hidden by it, or made in the host's folder.
const oci::SpecMount* covering_bind(const oci::SpecView& spec, const std::string& path) {
    for (const oci::SpecMount& mount : spec.mounts) {
        const std::string destination = oci::clean_path(mount.destination);
        if (mount.is_bind() && destination != "/" &&
            (path == destination || path.starts_with(destination + "/")))
            return &mount;
    }
    return nullptr;
}

bool rule_covers(const oci::SpecDeviceRule& rule, const host::DeviceNode& node) {
    const auto matches = [](const std::optional<std::int64_t>& wanted, std::uint32_t number) {
        return !wanted || *wanted == -1 || *wanted == number;
    };
    const bool type = rule.type == "a" || rule.type.empty() || rule.type[0] == node.type;
    return type && matches(rule.major, node.major) && matches(rule.minor, node.minor);
}

// As the runtimes read the list: the last rule that matches decides. Only whole
// answers count here; a rule for "r" alone does not settle "rw".
bool already_allowed(const oci::SpecView& spec, const host::DeviceNode& node) {
    bool allowed = false;
    for (const oci::SpecDeviceRule& rule : spec.device_rules) {
        if (!rule_covers(rule, node)) continue;
        const bool whole = rule.access.find('r') != std::string::npos &&
                           rule.access.find('w') != std::string::npos;
        if (!rule.allow || whole) allowed = rule.allow;
    }
    return allowed;
}

// Host id -> container id; nullopt where the user namespace does not map it.
std::optional<std::uint32_t> to_container(const std::vector<oci::IdMapping>& mappings,
                                          std::uint32_t host_id) {
    if (mappings.empty()) return host_id;
    for (const oci::IdMapping& mapping : mappings)
        if (host_id >= mapping.host_id && host_id - mapping.host_id < mapping.size)
            return static_cast<std::uint32_t>(mapping.container_id + (host_id - mapping.host_id));
    return std::nullopt;
}

void add_group(const Context& context, const host::DeviceNode& node, Plan& plan) {
    if ((node.mode & kWorldReadWrite) == kWorldReadWrite) return;
    const oci::SpecView& spec = context.spec;
    if ((node.mode & kGroupReadWrite) != kGroupReadWrite || node.gid == 0) {
        if (spec.uid != 0 && node.uid != spec.uid)
            plan.notices.push_back("uid " + std::to_string(spec.uid) + " cannot open " + node.path +
                                   ": it belongs to root alone; give it a group with a udev rule");
        return;
    }
    const auto gid = to_container(spec.gid_mappings, node.gid);
    if (!gid) {
        plan.notices.push_back("group " + std::to_string(node.gid) + " of " + node.path +
                               " is not mapped into the container's user namespace");
        return;
    }
    const auto& have = spec.additional_gids;
    auto& added = plan.edits.additional_gids;
    if (*gid == spec.gid || std::ranges::find(have, *gid) != have.end() ||
        std::ranges::find(added, *gid, &oci::GidEdit::gid) != added.end())
        return;
    added.push_back({*gid, "group of " + node.path + " on the host"});
}

Error shadowed(const host::DeviceNode& node, const oci::SpecDevice& device,
               const std::string& gpu) {
    return {Code::DeviceShadowed,
            gpu + ": " + node.path + " is device " + std::to_string(node.major) + ":" +
                std::to_string(node.minor) + " on the host, but the container's spec puts " +
                std::to_string(device.major) + ":" + std::to_string(device.minor) + " there",
            "Remove that --device option or map it to its own path"};
}

}  // namespace

Status plan_node(const Context& context, const host::DeviceNode& node, probe::NodeRole role,
                 const std::string& gpu, const std::string& reason, Plan& plan) {
    const oci::SpecView& spec = context.spec;
    oci::DeviceEdit edit{node.path, node.type, node.major, node.minor, node.mode, 0, 0, "rw",
                         true,      true,      reason};
    host::DeviceNode seen = node;  // what the container will see

    if (const oci::SpecDevice* device = find_device(spec, node.path)) {
        if (device->major != node.major || device->minor != node.minor)
            return std::unexpected(shadowed(node, *device, gpu));
        edit.add_node = false;
        seen.mode = device->file_mode.value_or(kDefaultFileMode) & 07777;
        seen.uid = device->uid.value_or(0);
        seen.gid = device->gid.value_or(0);
    } else if (const oci::SpecMount* bind = covering_bind(spec, node.path)) {
        edit.add_node = false;
        plan.notices.push_back(node.path + " comes from the bind mount of " +
                               oci::clean_path(bind->destination));
    } else if (!spec.has_new_user_namespace()) {
        edit.uid = to_container(spec.uid_mappings, node.uid).value_or(0);
        edit.gid = to_container(spec.gid_mappings, node.gid).value_or(0);
    }
    if (already_allowed(spec, node)) edit.add_rule = false;
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
            return compute && std::ranges::any_of(request.devices, [&](const oci::SpecDevice& d) {
                return d.type == std::string(1, node.type) && d.major == node.major &&
                       d.minor == node.minor;
            });
        });
        if (passed) grant.push_back(gpu);
    }
    if (!grant.empty()) return grant;
    const std::string existing = describe_gpus(context.inventory, vendor);
    if (vendor == Vendor::Nvidia)
        return fail(Code::NoGpu,
                    "NVIDIA device nodes are passed to the container, but none belongs to a usable "
                    "GPU of this host",
                    existing.empty() ? "See why with: gantryctl list" : "Pass one of: " + existing);
    if (existing.empty())
        return fail(Code::KfdWithoutRender,
                    "No AMD GPU stands behind /dev/kfd on this host, but the container asks for it",
                    "Check that the amdgpu driver is bound to the GPU (gantryctl list), or remove "
                    "--device /dev/kfd");
    return fail(Code::KfdWithoutRender,
                "/dev/kfd is passed to the container without a render node of an AMD GPU, so no "
                "GPU can be used",
                "Add --device /dev/dri/renderD<N>, or use AMD_VISIBLE_DEVICES instead: " + existing);
}

}  // namespace gantry::plan
