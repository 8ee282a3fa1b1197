// What a container asks for: from its environment, its annotations and the
// devices that the engine already put into its spec. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inventory/inventory.hpp"
#include "oci-spec/spec_view.hpp"

namespace gantry::request {

// Who may ask through the environment, which an image can set.
enum class EnvironmentPolicy {
    Auto,        // anybody; under the CRI only by unique id, which an image cannot
                 // know, unless the container is privileged or of a trusted namespace
    Allow,       // anybody
    Privileged,  // containers with CAP_SYS_ADMIN in their bounding set
    Deny,        // nobody
};

struct SelectionPolicy {
    EnvironmentPolicy environment = EnvironmentPolicy::Auto;
    // Kubernetes namespaces of node tools: device plugins, exporters.
    std::vector<std::string> trusted_namespaces = {};
    // false: others inject and Gantry checks. A request is then what they put
    // into the spec: devices, or a hook of NVIDIA's with its variable.
    bool inject = true;
    // The engine itself runs in a user namespace: a rootless one.
    bool rootless_engine = false;
};

enum class Source { None, Environment, SpecDevices };

// The type of a device that is known by its path alone, from a bind mount.
inline constexpr const char* kBoundDevice = "bind";

// What is asked of one vendor. GPUs are still to be looked up in the inventory.
struct VendorRequest {
    Source source = Source::None;
    std::string variable;         // AMD_VISIBLE_DEVICES
    std::string value;            // as written
    bool all = false;
    bool none = false;            // NVIDIA "none": driver files, no GPU
    std::vector<std::string> selectors;   // trimmed, in order, empty ones dropped
    std::vector<oci::SpecDevice> devices; // Source::SpecDevices: the vendor's nodes in the spec
};

struct Request {
    VendorRequest amd, nvidia;
    std::vector<std::string> notices;  // denied requests, trimmed blanks, …
    std::optional<std::string> probe_override;  // annotation gantry.gpu/probe, as written
    std::optional<std::string> probe_wish;      // GANTRY_PROBE of the container, as written
    bool inject = true;              // of the policy
    // Of a trusted namespace: it must start on a node with a broken GPU, which it
    // is there to report.
    bool trusted_node_tool = false;

    [[nodiscard]] bool any() const {
        return amd.source != Source::None || nvidia.source != Source::None;
    }
};

// Quick look: could this document hold a request at all? Reads only the env
// names, devices and the annotations; false means config.json is not touched.
// Error: SelectorMalformed, KfdWithoutRender is found later by the plan.
[[nodiscard]] Result<Request> extract_request(const oci::SpecView& spec,
                                              const SelectionPolicy& policy);

// GPUs that the request names, in inventory order, each once.
// Errors: SelectorUnknown and NoGpu, with the list of what exists; HostUnreadable
// where a GPU that may be meant cannot be told.
[[nodiscard]] Result<std::vector<const inventory::Gpu*>> select_gpus(
    const inventory::Inventory& inventory, inventory::Vendor vendor, const VendorRequest& request);

}  // namespace gantry::request
