#include "apply/spec_editor.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace gantry::apply {
namespace {

using oci::json_quote;
using oci::JsonDocument;
using oci::JsonKind;
using Node = JsonDocument::Node;

Result<Node> ensure_array(JsonDocument& document, std::initializer_list<const char*> path) {
    Node node = document.root();
    std::string name;
    for (const char* key : path) {
        const bool last = key == *(path.end() - 1);
        name += (name.empty() ? "" : ".") + std::string(key);
        node = document.ensure(node, key, last ? JsonKind::Array : JsonKind::Object);
        if (node == JsonDocument::kNone)
            return fail(Code::SpecMalformed,
                        name + " in config.json is no " + (last ? "list" : "object"),
                        "Correct config.json; the engine or the tool that wrote it is at fault");
    }
    return node;
}

std::string device_json(const oci::DeviceEdit& edit) {
    return "{\"path\":" + json_quote(edit.path) + ",\"type\":\"" + edit.type +
           "\",\"major\":" + std::to_string(edit.major) +
           ",\"minor\":" + std::to_string(edit.minor) +
           ",\"fileMode\":" + std::to_string(edit.file_mode) +
           ",\"uid\":" + std::to_string(edit.uid) + ",\"gid\":" + std::to_string(edit.gid) + "}";
}

std::string rule_json(const oci::DeviceEdit& edit) {
    return std::string("{\"allow\":true,\"type\":\"") + edit.type +
           "\",\"major\":" + std::to_string(edit.major) +
           ",\"minor\":" + std::to_string(edit.minor) +
           ",\"access\":" + json_quote(edit.permissions) + "}";
}

std::string mount_json(const oci::MountEdit& edit) {
    std::string options;
    for (const std::string& option : edit.options)
        options += (options.empty() ? "" : ",") + json_quote(option);
    return "{\"destination\":" + json_quote(edit.container_path) +
           ",\"type\":\"bind\",\"source\":" + json_quote(edit.host_path) + ",\"options\":[" +
           options + "]}";
}

// Entries of that name, in order.
std::vector<Node> env_entries(const JsonDocument& document, Node env, const std::string& name) {
    std::vector<Node> found;
    for (Node node = document.first_child(env); node != JsonDocument::kNone;
         node = document.next_sibling(node))
        if (const auto text = document.string(node); text && text->starts_with(name + "="))
            found.push_back(node);
    return found;
}

Status edit_env(JsonDocument& document, const oci::EnvEdit& edit) {
    GANTRY_TRY(const Node env, ensure_array(document, {"process", "env"}));
    const std::vector<Node> entries = env_entries(document, env, edit.name);
    if (!edit.value) {
        for (const Node entry : entries) document.remove(entry);
        return {};
    }
    std::string text = json_quote(edit.name + "=" + *edit.value);
    if (entries.empty())
        document.append(env, std::move(text));
    else
        document.replace(entries.back(), std::move(text));  // the last one counts
    return {};
}

}  // namespace

Status apply_edits(JsonDocument& document, const oci::ContainerEdits& edits) {
    for (const oci::EnvEdit& edit : edits.env) GANTRY_CHECK(edit_env(document, edit));
    for (const oci::GidEdit& edit : edits.additional_gids) {
        GANTRY_TRY(const Node gids,
                   ensure_array(document, {"process", "user", "additionalGids"}));
        document.append(gids, std::to_string(edit.gid));
    }
    for (const oci::MountEdit& edit : edits.mounts) {
        GANTRY_TRY(const Node mounts, ensure_array(document, {"mounts"}));
        document.append(mounts, mount_json(edit));
    }
    for (const oci::DeviceEdit& edit : edits.devices) {
        if (edit.add_node) {
            GANTRY_TRY(const Node devices, ensure_array(document, {"linux", "devices"}));
            document.append(devices, device_json(edit));
        }
        if (edit.add_rule) {
            GANTRY_TRY(const Node rules,
                       ensure_array(document, {"linux", "resources", "devices"}));
            document.append(rules, rule_json(edit));
        }
    }
    return {};
}

Status complete_resources(JsonDocument& document, const std::vector<oci::DeviceEdit>& rules) {
    const Node list = document.find({"devices"});
    if (list == JsonDocument::kNone || document.kind(list) != JsonKind::Array) return {};
    // The last rule that matches decides, so one that stands before a refusal of
    // everything is not enough; a repeated allow does no harm.
    for (const oci::DeviceEdit& rule : rules) document.append(list, rule_json(rule));
    return {};
}

Status complete_process(JsonDocument& document, const std::vector<oci::EnvEdit>& env,
                        const std::vector<oci::GidEdit>& additional_gids) {
    GANTRY_TRY(const Node list, ensure_array(document, {"env"}));
    for (const oci::EnvEdit& edit : env) {
        const std::vector<Node> entries = env_entries(document, list, edit.name);
        const bool chosen =
            !entries.empty() && document.string(entries.back()) != edit.name + "=";
        if (chosen) continue;
        for (const Node entry : entries) document.remove(entry);
        if (edit.value) document.append(list, json_quote(edit.name + "=" + *edit.value));
    }
    const auto own = document.unsigned_integer(document.find({"user", "gid"}));
    for (const oci::GidEdit& edit : additional_gids) {
        GANTRY_TRY(const Node gids, ensure_array(document, {"user", "additionalGids"}));
        bool there = own == edit.gid;
        for (Node gid = document.first_child(gids); gid != JsonDocument::kNone && !there;
             gid = document.next_sibling(gid))
            there = document.unsigned_integer(gid) == edit.gid;
        if (!there) document.append(gids, std::to_string(edit.gid));
    }
    return {};
}

}  // namespace gantry::apply
