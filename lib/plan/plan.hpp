// The plan: what is done to a container and why. Pure function of inventory,
// request and spec; the same input gives the same bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inventory/inventory.hpp"
#include "oci-spec/container_edits.hpp"
#include "oci-spec/runtime_argv.hpp"
#include "oci-spec/spec_view.hpp"
#include "probe/expectation.hpp"
#include "request/request.hpp"

namespace gantry::plan {

// What the planner must know of the image's files. Read through descriptors
// that cannot leave the rootfs; never executed, never a mount source.
struct ImageFacts {
    // Folder for NVIDIA's libraries: the loader's own default folder.
    std::string library_folder = "/usr/lib64";
    // The image's ROCm reads HSA_OVERRIDE_GFX_VERSION_<n> (6.3 and newer).
    bool per_node_override = false;
};

struct Plan {
    std::vector<inventory::Gpu> gpus;   // granted, AMD first
    oci::ContainerEdits edits;
    probe::Expectation expectation;
    std::vector<std::string> notices;
};

// Errors: every 2xx and 3xx code.
[[nodiscard]] Result<Plan> make_plan(const inventory::Inventory& inventory,
                                     const request::Request& request, const oci::SpecView& spec,
                                     const ImageFacts& image, oci::RuntimeKind runtime);

// `gantryctl plan`: lines of at most 80 columns, and CDI-shaped JSON
// ({"cdiVersion", "containerEdits", "gpus", "reasons", "notices"}).
[[nodiscard]] std::string render_text(const Plan& plan);
[[nodiscard]] std::string render_json(const Plan& plan);

}  // namespace gantry::plan
