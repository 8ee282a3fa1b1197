// HSA_OVERRIDE_GFX_VERSION: what the user set is checked, what is missing is
// added, and nothing empty or malformed ever reaches ROCm (it would answer
// with "no GPU", and frameworks with the CPU).
#include <algorithm>
#include <set>

#include "base/text.hpp"
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

// "gfx90a" and "9.0.a" are what people write; show them the decimal form.
std::string suggestion(std::string_view value) {
    std::string digits;
    for (const char c : to_lower(value.starts_with("gfx") ? value.substr(3) : value))
        if (c != '.') digits += c;
    if (digits.size() < 3 || digits.size() > 4) return "10.3.0";
    const auto major = parse_decimal(digits.substr(0, digits.size() - 2));
    const auto minor = parse_hex(digits.substr(digits.size() - 2, 1));
    const auto stepping = parse_hex(digits.substr(digits.size() - 1));
    if (!major || !minor || !stepping) return "10.3.0";
    return std::to_string(*major) + "." + std::to_string(*minor) + "." + std::to_string(*stepping);
}

// Position of the GPU among the topology nodes that the container can open,
// CPU nodes always counted: that is <n> of the per-node variable.
unsigned user_node(const Context& context, const Grant& grant, unsigned kfd_node) {
    std::set<std::uint32_t> granted;
    for (const Gpu* gpu : grant)
        if (const auto* node = gpu->render_node()) granted.insert(node->minor);
    for (const oci::SpecDevice& device : context.spec.devices)
        if (device.type == "c" && device.major == 226)
            granted.insert(static_cast<std::uint32_t>(device.minor));
    unsigned position = 0;
    for (const inventory::TopologyNode& node : context.inventory.topology)
        if (node.index < kfd_node &&
            (node.is_cpu || (node.render_minor && granted.contains(*node.render_minor))))
            ++position;
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
                            "\" is not MAJOR.MINOR.STEPPING in decimal, so ROCm would find no GPU",
                        "Write it like " + suggestion(value) + ", or remove it");
        for (const Gpu* gpu : grant)
            if (name == kVariable && gpu->gfx && gpu->gfx->major != version->major)
                return fail(Code::OverrideInvalid,
                            title(*gpu) + ": " + name + "=" + value + " makes it run code of GPU "
                                "generation " + std::to_string(version->major) + ", but it is a " +
                                gpu->gfx->target(),
                            "Remove " + name + " or use " + std::to_string(gpu->gfx->major) +
                                ".x.x");
        user.names.insert(name);
        if (name == kVariable) user.global = true;
        plan.notices.push_back(name + "=" + value + " is the user's and was kept");
    }
    return user;
}

const OverrideRow* find_row(const Gpu& gpu) {
    if (!gpu.gfx) return nullptr;
    for (const OverrideRow& row : override_table())
        if (row.real == *gpu.gfx) return &row;
    return nullptr;
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

    std::vector<const OverrideRow*> rows;
    for (const Gpu* gpu : grant) rows.push_back(find_row(*gpu));
    const bool agree = std::ranges::all_of(rows, [&](const OverrideRow* row) {
        return (row == nullptr) == (rows.front() == nullptr) &&
               (!row || row->override == rows.front()->override);
    });
    // One value for all: the global variable, which every ROCm release reads.
    if (agree) {
        if (rows.front()) set_variable(plan, std::string(kVariable), *rows.front(), *grant.front());
        return {};
    }
    if (!context.image.per_node_override)
        return fail(Code::MixedOverride,
                    title(*grant.front()) + " and " + title(*grant.back()) +
                        " need different HSA_OVERRIDE_GFX_VERSION values, and the image's ROCm "
                        "(before 6.3, or none found) knows one for all GPUs only",
                    "Ask for one of them (AMD_VISIBLE_DEVICES=0), or use an image with ROCm 6.3 or "
                    "newer");
    for (std::size_t i = 0; i < grant.size(); ++i) {
        if (!rows[i] || !grant[i]->kfd_node) continue;
        const std::string name = std::string(kVariable) + "_" +
                                 std::to_string(user_node(context, grant, *grant[i]->kfd_node));
        if (!user.names.contains(name)) set_variable(plan, name, *rows[i], *grant[i]);
    }
    return {};
}

}  // namespace gantry::plan
