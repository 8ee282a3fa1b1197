// HSA_OVERRIDE_GFX_VERSION: what the user set is checked, what is missing is
// added, and nothing empty or malformed ever reaches ROCm (it would answer
// with "no GPU", and frameworks with the CPU).
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "plan/container_view.hpp"
#include "plan/override_table.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using inventory::GfxVersion;
using inventory::Gpu;

constexpr std::string_view kVariable = "HSA_OVERRIDE_GFX_VERSION";

// As ROCm's thunk reads it, without what its scanf lets pass: three decimal
// numbers, major 1 to 63, the others up to 255 (libhsakmt src/topology.c).
std::optional<GfxVersion> parse_override(std::string_view text) {
    const auto parts = split(text, '.');
    if (parts.size() != 3) return std::nullopt;
    const auto major = parse_decimal(parts[0]), minor = parse_decimal(parts[1]),
               stepping = parse_decimal(parts[2]);
    if (!major || !minor || !stepping || *major < 1 || *major > 63 || *minor > 255 ||
        *stepping > 255)
        return std::nullopt;
    return GfxVersion{static_cast<unsigned>(*major), static_cast<unsigned>(*minor),
                      static_cast<unsigned>(*stepping)};
}

const OverrideRow* find_row(const Gpu& gpu) {
    if (!gpu.gfx) return nullptr;
    for (const OverrideRow& row : override_table())
        if (row.real == *gpu.gfx) return &row;
    return nullptr;
}

// What to write instead: "gfx90a" and "9.0.a" are what people mean by 9.0.10.
// Where nothing sensible can be made of it, what the GPU itself takes.
std::string suggestion(std::string_view value, const Gpu& gpu) {
    const OverrideRow* row = find_row(gpu);
    const std::string usual = row       ? row->override.override_text()
                              : gpu.gfx ? gpu.gfx->override_text()
                                        : "10.3.0";
    std::string text = to_lower(value);
    if (text.starts_with("gfx")) text.erase(0, 3);
    if (text.find('.') == std::string::npos && text.size() >= 3) {
        text.insert(text.size() - 1, ".");
        text.insert(text.size() - 3, ".");
    }
    const auto parts = split(text, '.');
    if (parts.size() != 3) return usual;
    const auto number = [](std::string_view part) {
        return part.size() == 1 ? parse_hex(part) : parse_decimal(part);
    };
    const auto major = number(parts[0]), minor = number(parts[1]), stepping = number(parts[2]);
    if (!major || !minor || !stepping) return usual;
    const std::string meant = std::to_string(*major) + "." + std::to_string(*minor) + "." +
                              std::to_string(*stepping);
    const auto version = parse_override(meant);
    return version && (!gpu.gfx || version->major == gpu.gfx->major) ? meant : usual;
}

// The GPUs that ROCm will find in the container: those granted, and those that
// its spec lets in anyway (privileged, --device /dev/dri beside the request).
Grant visible_gpus(const Context& context, const Grant& grant) {
    Grant visible;
    for (const Gpu* gpu : context.inventory.of(inventory::Vendor::Amd)) {
        const host::DeviceNode* render = gpu->render_node();
        if (std::ranges::find(grant, gpu) != grant.end() ||
            (render && opens_already(context, *render)))
            visible.push_back(gpu);
    }
    return visible;
}

// Position of the GPU among the topology nodes that the container can open,
// CPU nodes always counted: that is <n> of the per-node variable (libhsakmt
// src/topology.c, topology_sysfs_check_node_supported).
unsigned user_node(const Context& context, const Grant& visible, unsigned kfd_node) {
    unsigned position = 0;
    for (const inventory::TopologyNode& node : context.inventory.topology) {
        const bool kept = node.is_cpu || std::ranges::any_of(visible, [&](const Gpu* gpu) {
            return gpu->kfd_node == node.index;
        });
        if (kept && node.index < kfd_node) ++position;
    }
    return position;
}

struct UserOverride {
    bool global = false;
    std::set<std::string> names;  // valid ones
};

Result<UserOverride> check_user_overrides(const Context& context, const Grant& grant, Plan& plan) {
    UserOverride user;
    std::set<std::string> seen;
    for (const std::string& entry : context.spec.env) {
        if (!entry.starts_with(kVariable)) continue;
        const std::string name = entry.substr(0, entry.find('='));
        const bool numbered = name.starts_with(std::string(kVariable) + "_") &&
                              parse_decimal(name.substr(kVariable.size() + 1));
        if ((name != kVariable && !numbered) || !seen.insert(name).second) continue;
        const std::string value = context.spec.env_value(name).value_or("");
        if (value.empty()) {
            plan.edits.env.push_back({name, std::nullopt,
                                      "an empty value makes ROCm find no GPU at all"});
            plan.notices.push_back("the empty " + name + " was removed");
            continue;
        }
        const auto version = parse_override(value);
        if (!version)
            return fail(Code::OverrideInvalid,
                        title(*grant.front()) + ": " + name + "=\"" + printable(value, 48) +
                            "\" is no version",
                        "Write it like " + suggestion(value, *grant.front()) +
                            " (MAJOR.MINOR.STEPPING in decimal), or remove it; with it ROCm would "
                            "find no GPU");
        for (const Gpu* gpu : grant)
            if (name == kVariable && gpu->gfx && gpu->gfx->major != version->major)
                return fail(Code::OverrideInvalid,
                            title(*gpu) + " is " + gpu->gfx->target() + "; " + name + "=" + value +
                                " is another generation's",
                            "Remove it or use " + std::to_string(gpu->gfx->major) +
                                ".x.x");
        user.names.insert(name);
        if (name == kVariable) user.global = true;
        plan.notices.push_back(name + "=" + value + " is the user's and was kept");
    }
    return user;
}

void set_variable(Plan& plan, const std::string& name, const OverrideRow& row, const Gpu& gpu) {
    // A removal of the empty value becomes its replacement.
    std::erase_if(plan.edits.env, [&](const oci::EnvEdit& edit) { return edit.name == name; });
    plan.edits.env.push_back({name, row.override.override_text(),
                              title(gpu) + " is a " + row.real.target() + ": " + row.why});
}

}  // namespace

Status plan_override(const Context& context, const Grant& grant, Plan& plan) {
    GANTRY_TRY(const UserOverride user, check_user_overrides(context, grant, plan));
    if (user.global) return {};

    // One value for all: the global variable, which every ROCm release reads.
    // It acts on every GPU that is there, granted or not.
    const Grant visible = visible_gpus(context, grant);
    const OverrideRow* first = find_row(*visible.front());
    const auto other = std::ranges::find_if(visible, [&](const Gpu* gpu) {
        const OverrideRow* row = find_row(*gpu);
        return !row != !first || (row && row->override != first->override);
    });
    if (other == visible.end()) {
        if (const OverrideRow* row = find_row(*grant.front()))
            set_variable(plan, std::string(kVariable), *row, *grant.front());
        return {};
    }
    const auto needs = [](const Gpu* gpu) { return find_row(*gpu) != nullptr; };
    if (std::ranges::none_of(grant, needs)) return {};
    if (!context.image.per_node_override)
        return fail(Code::MixedOverride,
                    "AMD GPU " + std::to_string(visible.front()->index) + " and " +
                        std::to_string((*other)->index) +
                        " need different HSA_OVERRIDE_GFX_VERSION values",
                    "Ask for one of them, or use an image with ROCm 6.3 or newer: this one's "
                    "(older, or none found) knows one value for all GPUs. They are " +
                        title(*visible.front()) + " and " + title(**other));
    for (const Gpu* gpu : grant) {
        const OverrideRow* row = find_row(*gpu);
        if (!row || !gpu->kfd_node) continue;
        const std::string name = std::string(kVariable) + "_" +
                                 std::to_string(user_node(context, visible, *gpu->kfd_node));
        if (!user.names.contains(name)) set_variable(plan, name, *row, *gpu);
    }
    return {};
}

}  // namespace gantry::plan
