// From a spec and an inventory to a plan, as the shim goes.
#pragma once

#include <stdexcept>
#include <string>

#include "apply/spec_editor.hpp"
#include "base/text.hpp"
#include "inventory_parts.hpp"
#include "plan/plan.hpp"
#include "request/request.hpp"
#include "spec_parts.hpp"

namespace gantry::test {

inline Result<plan::Plan> try_plan(const inventory::Inventory& inventory, const oci::SpecView& spec,
                                   const plan::ImageFacts& image = {},
                                   oci::RuntimeKind runtime = oci::RuntimeKind::Runc,
                                   const request::SelectionPolicy& policy = {}) {
    GANTRY_TRY(const request::Request request, request::extract_request(spec, policy));
    return plan::make_plan(inventory, request, spec, image, runtime);
}

inline plan::Plan planned(const inventory::Inventory& inventory, const oci::SpecView& spec,
                          const plan::ImageFacts& image = {},
                          oci::RuntimeKind runtime = oci::RuntimeKind::Runc) {
    auto plan = try_plan(inventory, spec, image, runtime);
    if (!plan) throw std::runtime_error(plan.error().text());
    return std::move(*plan);
}

// "/dev/kfd node+rule, /dev/dri/renderD128 rule"
inline std::string devices_of(const plan::Plan& plan) {
    std::vector<std::string> words;
    for (const oci::DeviceEdit& edit : plan.edits.devices)
        words.push_back(edit.path + (edit.add_node ? " node" : " ") +
                        (edit.add_node && edit.add_rule ? "+" : "") +
                        (edit.add_rule ? "rule" : ""));
    return join(words, ", ");
}

inline std::string gids_of(const plan::Plan& plan) {
    std::vector<std::string> words;
    for (const oci::GidEdit& edit : plan.edits.additional_gids)
        words.push_back(std::to_string(edit.gid));
    return join(words, ",");
}

// "NAME=value,-NAME": set, removed
inline std::string env_of(const plan::Plan& plan) {
    std::vector<std::string> words;
    for (const oci::EnvEdit& edit : plan.edits.env)
        words.push_back(edit.value ? edit.name + "=" + *edit.value : "-" + edit.name);
    return join(words, ",");
}

inline bool has_notice(const plan::Plan& plan, std::string_view text) {
    for (const std::string& notice : plan.notices)
        if (notice.find(text) != std::string::npos) return true;
    return false;
}

}  // namespace gantry::test
