#include "plan/container_view.hpp"

namespace gantry::plan {
namespace {

bool covers(const oci::SpecDeviceRule& rule, const host::DeviceNode& node) {
    const auto matches = [](const std::optional<std::int64_t>& wanted, std::uint32_t number) {
        return !wanted || *wanted == -1 || *wanted == number;
    };
    const bool type = rule.type == "a" || rule.type.empty() || rule.type[0] == node.type;
    return type && matches(rule.major, node.major) && matches(rule.minor, node.minor);
}

}  // namespace

const oci::SpecDevice* find_device(const oci::SpecView& spec, const std::string& path) {
    for (const oci::SpecDevice& device : spec.devices)
        if (oci::clean_path(device.path) == path) return &device;
    return nullptr;
}

const oci::SpecMount* covering_bind(const oci::SpecView& spec, const std::string& path) {
    // Mounts are made in order: the last one over the path is what is seen.
    const oci::SpecMount* last = nullptr;
    for (const oci::SpecMount& mount : spec.mounts) {
        const std::string destination = oci::clean_path(mount.destination);
        if (path == destination || path.starts_with(destination + "/"))
            last = &mount;
    }
    return last && last->is_bind() ? last : nullptr;
}

bool rules_allow(const oci::SpecView& spec, const host::DeviceNode& node) {
    // As the runtimes read the list: the last rule that matches decides. Only
    // whole answers count; a rule for "r" alone does not settle "rw".
    bool allowed = false;
    for (const oci::SpecDeviceRule& rule : spec.device_rules) {
        if (!covers(rule, node)) continue;
        const bool whole = rule.access.find('r') != std::string::npos &&
                           rule.access.find('w') != std::string::npos;
        if (!rule.allow || whole) allowed = rule.allow;
    }
    return allowed;
}

bool opens_already(const Context& context, const host::DeviceNode& node) {
    const oci::SpecView& spec = context.spec;
    const oci::SpecDevice* device = find_device(spec, node.path);
    const bool there = device ? device->major == node.major && device->minor == node.minor
                              : covering_bind(spec, node.path) != nullptr;
    // Without any rule crun lets everything through, runc nothing.
    const bool unruled = spec.device_rules.empty() && context.runtime == oci::RuntimeKind::Crun;
    return there && (unruled || rules_allow(spec, node));
}

std::optional<std::uint32_t> container_gid(const oci::SpecView& spec, std::uint32_t host_gid) {
    if (!spec.find_namespace("user")) return host_gid;
    for (const oci::IdMapping& mapping : spec.gid_mappings)
        if (host_gid >= mapping.host_id && host_gid - mapping.host_id < mapping.size)
            return static_cast<std::uint32_t>(mapping.container_id + (host_gid - mapping.host_id));
    return std::nullopt;
}

std::optional<std::uint32_t> host_uid_of_process(const oci::SpecView& spec) {
    if (!spec.find_namespace("user")) return spec.uid;
    for (const oci::IdMapping& mapping : spec.uid_mappings)
        if (spec.uid >= mapping.container_id && spec.uid - mapping.container_id < mapping.size)
            return static_cast<std::uint32_t>(mapping.host_id + (spec.uid - mapping.container_id));
    return std::nullopt;
}

}  // namespace gantry::plan
