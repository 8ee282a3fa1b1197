#include <cstdio>
#include <nlohmann/json.hpp>

#include "inventory/inventory.hpp"

namespace gantry::inventory {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <class T>
Json value_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json node_json(const host::DeviceNode& node) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", node.mode & 07777U);
    return {{"path", node.path},   {"type", std::string(1, node.type)},
            {"major", node.major}, {"minor", node.minor},
            {"mode", mode},        {"uid", node.uid},
            {"gid", node.gid}};
}

Json nodes_json(const std::vector<host::DeviceNode>& nodes) {
    Json list = Json::array();
    for (const host::DeviceNode& node : nodes) list.push_back(node_json(node));
    return list;
}

Json gpu_json(const Gpu& gpu) {
    const host::DeviceNode* render = gpu.render_node();
    Json json;
    json["vendor"] = gpu.vendor == Vendor::Amd ? "amd" : "nvidia";
    json["index"] = gpu.index;
    json["name"] = gpu.name;
    json["gfx"] = gpu.gfx ? Json(gpu.gfx->target()) : Json(nullptr);
    json["pci"] = text_or_null(gpu.pci_address);
    json["unique_id"] = text_or_null(gpu.unique_id);
    json["memory_bytes"] = value_or_null(gpu.memory_bytes);
    json["integrated"] = gpu.integrated;
    json["kfd_node"] = value_or_null(gpu.kfd_node);
    json["render_minor"] = render != nullptr ? Json(render->minor) : Json(nullptr);
    json["partition"] = value_or_null(gpu.partition);
    json["nodes"] = nodes_json(gpu.nodes);
    json["usable"] = gpu.unusable.empty();
    json["unusable"] = text_or_null(gpu.unusable);
    return json;
}

}  // namespace

std::string render_json(const Inventory& inventory) {
    Json json;
    json["simulated"] = inventory.simulated;
    json["gpus"] = Json::array();
    for (const Gpu& gpu : inventory.gpus) json["gpus"].push_back(gpu_json(gpu));
    json["driver"] = {{"amdgpu", text_or_null(inventory.amdgpu_version)},
                      {"nvidia", text_or_null(inventory.nvidia_version)},
                      {"nvidia_libraries", inventory.nvidia_libraries.size()},
                      {"nvidia_binaries", inventory.nvidia_binaries.size()}};
    json["control"] = {{"amd", nodes_json(inventory.amd_control)},
                       {"nvidia", nodes_json(inventory.nvidia_control)}};
    json["notices"] = inventory.notices;
    return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::inventory
