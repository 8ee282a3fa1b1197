#include <nlohmann/json.hpp>

#include "plan/plan.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

using json = nlohmann::ordered_json;

// CDI 1.1: deviceNodes[].permissions, mounts[].options and so on; the lowest
// version that has additionalGids is 0.7.0.
constexpr const char* kCdiVersion = "0.7.0";
constexpr std::size_t kColumns = 80;

// Long texts are broken at blanks and go on two columns further in.
void add_wrapped(std::string& out, std::string_view text, std::size_t indent) {
    while (indent + text.size() > kColumns) {
        std::size_t end = text.rfind(' ', kColumns - indent);
        // A word that is longer than a line stands alone.
        if (end == std::string_view::npos || end == 0) end = text.find(' ', kColumns - indent);
        if (end == std::string_view::npos) break;
        out.append(indent, ' ').append(text.substr(0, end)).append("\n");
        text.remove_prefix(end + 1);
        indent = 8;
    }
    out.append(indent, ' ').append(text).append("\n");
}

// The edit and, where it fits, the reason on the same line; else below.
void add_line(std::string& out, const std::string& what, const std::string& reason) {
    const std::string note = reason.empty() ? "" : "# " + reason;
    if (!note.empty() && 2 + what.size() + 2 + note.size() <= kColumns) {
        out += "  " + what + "  " + note + "\n";
        return;
    }
    add_wrapped(out, what, 2);
    if (!note.empty()) add_wrapped(out, note, 6);
}

std::string octal(std::uint32_t mode) {
    std::string digits;
    for (int shift = 9; shift >= 0; shift -= 3)
        digits += static_cast<char>('0' + ((mode >> shift) & 7));
    return digits;
}

std::string describe(const oci::DeviceEdit& edit) {
    const std::string numbers = std::to_string(edit.major) + ":" + std::to_string(edit.minor);
    if (!edit.add_node)
        return "rule  " + edit.path + " " + edit.type + " " + numbers + " " + edit.permissions;
    return "node  " + edit.path + " " + edit.type + " " + numbers + " mode " +
           octal(edit.file_mode) + " gid " + std::to_string(edit.gid) +
           (edit.add_rule ? ", rule " + edit.permissions : "");
}

json device_node(const oci::DeviceEdit& edit) {
    return {{"path", edit.path},         {"type", std::string(1, edit.type)},
            {"major", edit.major},       {"minor", edit.minor},
            {"fileMode", edit.file_mode}, {"permissions", edit.permissions},
            {"uid", edit.uid},           {"gid", edit.gid}};
}

}  // namespace

std::string render_text(const Plan& plan) {
    std::string out;
    for (const inventory::Gpu& gpu : plan.gpus)
        add_line(out, "grant " + title(gpu) + " at " + gpu.pci_address,
                 gpu.gfx ? gpu.gfx->target() : gpu.unique_id);
    for (const oci::DeviceEdit& edit : plan.edits.devices) add_line(out, describe(edit), edit.reason);
    for (const oci::GidEdit& edit : plan.edits.additional_gids)
        add_line(out, "group " + std::to_string(edit.gid), edit.reason);
    for (const oci::EnvEdit& edit : plan.edits.env)
        add_line(out, edit.value ? "env   " + edit.name + "=" + *edit.value : "unset " + edit.name,
                 edit.reason);
    for (const oci::MountEdit& edit : plan.edits.mounts)
        add_line(out, "mount " + edit.container_path, edit.reason);
    for (const std::string& notice : plan.notices) add_line(out, "note  " + notice, "");
    return out;
}

std::string render_json(const Plan& plan) {
    json edits = json::object();
    json reasons = json::array();
    const auto reason = [&](const std::string& what, const std::string& why) {
        reasons.push_back({{"edit", what}, {"reason", why}});
    };
    for (const oci::EnvEdit& edit : plan.edits.env) {
        if (edit.value) edits["env"].push_back(edit.name + "=" + *edit.value);
        reason((edit.value ? "env " : "unset ") + edit.name, edit.reason);
    }
    json rules = json::array();
    for (const oci::DeviceEdit& edit : plan.edits.devices) {
        if (edit.add_node) edits["deviceNodes"].push_back(device_node(edit));
        // CDI has no word for a rule without a node.
        if (!edit.add_node)
            rules.push_back({{"type", std::string(1, edit.type)}, {"major", edit.major},
                             {"minor", edit.minor}, {"access", edit.permissions}});
        reason("device " + edit.path, edit.reason);
    }
    for (const oci::MountEdit& edit : plan.edits.mounts) {
        edits["mounts"].push_back({{"hostPath", edit.host_path},
                                   {"containerPath", edit.container_path},
                                   {"options", edit.options}});
        reason("mount " + edit.container_path, edit.reason);
    }
    for (const oci::GidEdit& edit : plan.edits.additional_gids) {
        edits["additionalGids"].push_back(edit.gid);
        reason("group " + std::to_string(edit.gid), edit.reason);
    }
    json gpus = json::array();
    for (const inventory::Gpu& gpu : plan.gpus)
        gpus.push_back({{"vendor", gpu.vendor == inventory::Vendor::Amd ? "amd" : "nvidia"},
                        {"index", gpu.index},
                        {"name", gpu.name},
                        {"target", gpu.gfx ? gpu.gfx->target() : ""},
                        {"pciAddress", gpu.pci_address},
                        {"uniqueId", gpu.unique_id}});
    const json document = {{"cdiVersion", kCdiVersion}, {"containerEdits", edits},
                           {"deviceRules", rules},      {"gpus", gpus},
                           {"reasons", reasons},        {"notices", plan.notices},
                           {"simulated", plan.expectation.simulated}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::plan
