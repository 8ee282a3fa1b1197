#include "request/request.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "request/cri.hpp"

namespace gantry::request {
namespace {

using inventory::Vendor;

bool is_privileged(const oci::SpecView& spec) {
    return std::ranges::find(spec.bounding_capabilities, "CAP_SYS_ADMIN") !=
           spec.bounding_capabilities.end();
}

// A full NVIDIA UUID or AMD unique id: long enough that no image can guess it.
bool is_unique_id(Vendor vendor, std::string_view selector) {
    const std::string lower = to_lower(selector);
    std::string_view rest = lower;
    if (vendor == Vendor::Nvidia)
        return (rest.starts_with("gpu-") || rest.starts_with("mig-")) && rest.size() >= 40;
    if (rest.starts_with("gpu-")) rest.remove_prefix(4);
    if (rest.starts_with("0x")) rest.remove_prefix(2);
    return rest.size() >= 14 && rest.size() <= 16 && parse_hex(rest).has_value();
}

Error malformed(const VendorRequest& request, const std::string& what, const std::string& remedy) {
    return {Code::SelectorMalformed,
            request.variable + "=\"" + printable(request.value) + "\" " + what, remedy};
}

// Words and list of the variable; whether the GPUs exist is asked later.
// nullopt: the value is no request.
Result<std::optional<VendorRequest>> parse_value(Vendor vendor, VendorRequest request,
                                                 std::vector<std::string>& notices) {
    const std::string_view value = trim(request.value);
    if (value.size() != request.value.size() && !value.empty())
        notices.push_back("blanks around " + request.variable + "=\"" + printable(request.value) +
                          "\" were ignored");
    if (value.empty() || value == "void") return std::optional<VendorRequest>{};
    request.source = Source::Environment;
    if (value == "none") {
        if (vendor == Vendor::Amd) return std::optional<VendorRequest>{};
        request.none = true;
        return std::optional(std::move(request));
    }
    // AMD's toolkit takes these three spellings, NVIDIA's the lower case alone.
    if (value == "all" || (vendor == Vendor::Amd && (value == "All" || value == "ALL"))) {
        request.all = true;
        return std::optional(std::move(request));
    }
    if (value.front() == '"' || value.front() == '\'')
        return std::unexpected(malformed(request, "has quotes as part of its value",
                                         "Remove the quotes (a list in compose keeps them)"));
    for (const std::string_view part : split(value, ',')) {
        const std::string_view selector = trim(part);
        if (selector.empty()) continue;
        if (selector.find_first_of(" \t") != std::string_view::npos)
            return std::unexpected(
                malformed(request, "has a blank inside", "Separate GPUs by commas, e.g. 0,1"));
        if (selector == "all" || selector == "none" || selector == "void")
            return std::unexpected(malformed(request,
                                             "mixes \"" + std::string(selector) + "\" with GPUs",
                                             "Use the word alone, or list the GPUs"));
        request.selectors.emplace_back(selector);
    }
    if (request.selectors.empty())
        return std::unexpected(malformed(request, "names no GPU", "Use all, an index or an id"));
    return std::optional(std::move(request));
}

// What the policy says of a request from the environment; a text is a denial.
std::string denial(Vendor vendor, const VendorRequest& request, const oci::SpecView& spec,
                   const SelectionPolicy& policy, bool trusted) {
    switch (policy.environment) {
        case EnvironmentPolicy::Allow: return {};
        case EnvironmentPolicy::Deny: return "selection.environment is \"deny\"";
        case EnvironmentPolicy::Privileged:
            return is_privileged(spec) ? "" : "the container is not privileged";
        case EnvironmentPolicy::Auto: break;
    }
    if (read_cri(spec).role == CriRole::None || is_privileged(spec) || trusted) return {};
    const bool unguessable =
        !request.all && !request.none &&
        std::ranges::all_of(request.selectors,
                            [&](const std::string& s) { return is_unique_id(vendor, s); });
    return unguessable ? "" : "under Kubernetes only unique ids count, which an image cannot know; a GPU "
                             "without one comes by a device plugin alone";
}

Status read_environment(Vendor vendor, const char* variable, const oci::SpecView& spec,
                        const SelectionPolicy& policy, Request& request, VendorRequest& target) {
    const auto value = spec.env_value(variable);
    if (!value) return {};
    VendorRequest asked;
    asked.variable = variable;
    asked.value = *value;
    std::vector<std::string> notices;
    auto parsed = parse_value(vendor, asked, notices);
    if (parsed && !*parsed) return {};
    // A denied request is none, so its form is nobody's business either.
    asked.selectors = {asked.value};
    const std::string why = denial(vendor, parsed ? **parsed : asked, spec, policy,
                                   request.trusted_node_tool);
    if (!why.empty()) {
        request.notices.push_back(std::string(variable) + "=\"" + printable(*value) +
                                  "\" is not followed: " + why);
        return {};
    }
    if (!parsed) return std::unexpected(parsed.error());
    request.notices.insert(request.notices.end(), notices.begin(), notices.end());
    target = std::move(**parsed);
    return {};
}

bool is_nvidia_gpu_path(std::string_view path) {
    return path.starts_with("/dev/nvidia") && parse_decimal(path.substr(11)).has_value();
}

// In a user namespace nobody can make device nodes, so Podman there hands on a
// --device as a bind mount of the host's node at its own path (podman,
// pkg/specgen/generate: DevicesFromPath). Elsewhere such a mount is a -v, which
// the device rules keep shut, and no request.
std::vector<oci::SpecDevice> bound_devices(const oci::SpecView& spec,
                                           const SelectionPolicy& policy) {
    std::vector<oci::SpecDevice> devices;
    if (!policy.rootless_engine && !spec.find_namespace("user")) return devices;
    for (const oci::SpecMount& mount : spec.mounts) {
        const std::string path = oci::clean_path(mount.destination);
        if (!mount.is_bind() || !path.starts_with("/dev/") || oci::clean_path(mount.source) != path)
            continue;
        oci::SpecDevice device;
        device.path = path;
        device.type = kBoundDevice;
        devices.push_back(std::move(device));
    }
    return devices;
}

// Devices that the engine put into the spec by the user's wish. Privileged
// containers get every device of the host: that is nobody's wish.
void read_devices(const oci::SpecView& spec, const SelectionPolicy& policy, Request& request) {
    if (spec.allows_all_devices()) return;
    bool kfd = false, control = false, gpu = false;
    std::vector<oci::SpecDevice> amd, nvidia;
    std::vector<oci::SpecDevice> passed = spec.devices;
    std::ranges::copy(bound_devices(spec, policy), std::back_inserter(passed));
    for (const oci::SpecDevice& device : passed) {
        const std::string path = oci::clean_path(device.path);
        if (path == "/dev/kfd") kfd = true;
        if (path == "/dev/kfd" || path.starts_with("/dev/dri/")) amd.push_back(device);
        control = control || path == "/dev/nvidiactl";
        gpu = gpu || is_nvidia_gpu_path(path);
        if (path.starts_with("/dev/nvidia")) nvidia.push_back(device);
    }
    // /dev/dri alone is what media servers pass: no compute request.
    if (kfd && request.amd.source == Source::None) {
        request.amd.source = Source::SpecDevices;
        request.amd.devices = std::move(amd);
    }
    if (control && gpu && request.nvidia.source == Source::None) {
        request.nvidia.source = Source::SpecDevices;
        request.nvidia.devices = std::move(nvidia);
    }
}

// NVIDIA's hook before the container's start makes the nodes and mounts of the
// variable itself (libnvidia-container); both names are of the same program.
constexpr std::string_view kDeviceHooks[] = {"nvidia-container-runtime-hook",
                                             "nvidia-container-toolkit"};

bool has_device_hook(const oci::SpecView& spec) {
    return std::ranges::any_of(spec.hooks, [](const oci::SpecHook& hook) {
        const std::string_view path = hook.path;
        return std::ranges::find(kDeviceHooks, path.substr(path.rfind('/') + 1)) !=
               std::end(kDeviceHooks);
    });
}

}  // namespace

Result<Request> extract_request(const oci::SpecView& spec, const SelectionPolicy& policy) {
    Request request;
    request.inject = policy.inject;
    const CriContainer cri = read_cri(spec);
    if (cri.role == CriRole::Sandbox) return request;
    const bool trusted = !cri.name_space.empty() &&
                         std::ranges::find(policy.trusted_namespaces, cri.name_space) !=
                             policy.trusted_namespaces.end();
    request.trusted_node_tool = trusted;
    if (policy.inject) {
        GANTRY_CHECK(read_environment(Vendor::Amd, "AMD_VISIBLE_DEVICES", spec, policy, request,
                                      request.amd));
    }
    if (policy.inject || has_device_hook(spec)) {
        // Who may ask NVIDIA's hook is for the hook's own configuration to say.
        SelectionPolicy asking = policy;
        if (!policy.inject) asking.environment = EnvironmentPolicy::Allow;
        GANTRY_CHECK(read_environment(Vendor::Nvidia, "NVIDIA_VISIBLE_DEVICES", spec, asking,
                                      request, request.nvidia));
    }
    read_devices(spec, policy, request);
    if (const auto found = spec.annotations.find("gantry.gpu/probe");
        found != spec.annotations.end())
        request.probe_override = found->second;
    request.probe_wish = spec.env_value("GANTRY_PROBE");
    return request;
}

}  // namespace gantry::request
