// The steps of make_plan(); each adds its edits, notices and expectations.
#pragma once

#include "plan/plan.hpp"

namespace gantry::plan {

struct Context {
    const inventory::Inventory& inventory;
    const request::Request& request;
    const oci::SpecView& spec;
    const ImageFacts& image;
    oci::RuntimeKind runtime;
};

using Grant = std::vector<const inventory::Gpu*>;

// "AMD GPU 0 (RX 6700 XT)"
[[nodiscard]] std::string title(const inventory::Gpu& gpu);
[[nodiscard]] probe::ExpectedGpu expected(const inventory::Gpu& gpu);

// A container that asks for the driver's other capabilities alone
// (NVIDIA_DRIVER_CAPABILITIES) does not compute, and may lack what that takes.
[[nodiscard]] bool computes(const oci::SpecView& spec);

// GPUs meant by the nodes that the engine put into the spec.
[[nodiscard]] Result<Grant> match_spec_devices(const Context& context, inventory::Vendor vendor);

// One node: the entry in linux.devices, the allow rule and the group, each only
// where the spec lacks it. Error: DeviceShadowed.
[[nodiscard]] Status plan_node(const Context& context, const host::DeviceNode& node,
                               probe::NodeRole role, const std::string& gpu,
                               const std::string& reason, Plan& plan);

// HSA_OVERRIDE_GFX_VERSION and its per-node form. Errors: OverrideInvalid,
// MixedOverride.
[[nodiscard]] Status plan_override(const Context& context, const Grant& grant, Plan& plan);

// inject = false: expectations of what others injected, and no edit.
[[nodiscard]] Status plan_injected(const Context& context, Plan& plan);

// NVIDIA's driver libraries and tools. Error: DriverFilesMissing.
[[nodiscard]] Status plan_driver_files(const Context& context, Plan& plan);

}  // namespace gantry::plan
