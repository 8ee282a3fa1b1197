#include "oci-spec/spec_view.hpp"

#include <algorithm>

namespace gantry::oci {
namespace {

using Node = JsonDocument::Node;
constexpr Node kNone = JsonDocument::kNone;

// Reads members by name; whatever is not of the type asked for is absent.
class Reader {
public:
    explicit Reader(const JsonDocument& document) : document_(document) {}

    [[nodiscard]] Node member(Node object, std::string_view key) const {
        return document_.member(object, key);
    }
    [[nodiscard]] bool is_object(Node node) const {
        return document_.kind(node) == JsonKind::Object;
    }
    [[nodiscard]] std::string string(Node object, std::string_view key) const {
        return document_.string(member(object, key)).value_or(std::string());
    }
    [[nodiscard]] bool boolean(Node object, std::string_view key) const {
        return document_.boolean(member(object, key)).value_or(false);
    }
    [[nodiscard]] std::optional<std::int64_t> integer(Node object, std::string_view key) const {
        return document_.integer(member(object, key));
    }
    [[nodiscard]] std::uint64_t unsigned_integer(Node object, std::string_view key) const {
        return document_.unsigned_integer(member(object, key)).value_or(0);
    }
    [[nodiscard]] std::optional<std::uint32_t> uint32(Node node) const {
        const auto value = document_.unsigned_integer(node);
        if (!value || *value > UINT32_MAX) return std::nullopt;
        return static_cast<std::uint32_t>(*value);
    }
    [[nodiscard]] std::vector<std::string> strings(Node array) const {
        std::vector<std::string> found;
        std::size_t count = 0;  // environments have hundreds of entries
        each(array, [&](Node) { ++count; });
        found.reserve(count);
        each(array, [&](Node node) {
            if (auto text = document_.string(node)) found.push_back(std::move(*text));
        });
        return found;
    }
    template <class Use>
    void each(Node array, Use use) const {
        if (document_.kind(array) != JsonKind::Array) return;
        for (Node node = document_.first_child(array); node != kNone;
             node = document_.next_sibling(node))
            use(node);
    }
    template <class Use>
    void each_object(Node array, Use use) const {
        each(array, [&](Node node) {
            if (is_object(node)) use(node);
        });
    }

private:
    const JsonDocument& document_;
};

void read_process(const Reader& read, Node process, SpecView& view) {
    view.has_process = read.is_object(process);
    view.terminal = read.boolean(process, "terminal");
    view.args = read.strings(read.member(process, "args"));
    view.env = read.strings(read.member(process, "env"));
    const Node user = read.member(process, "user");
    view.uid = read.uint32(read.member(user, "uid")).value_or(0);
    view.gid = read.uint32(read.member(user, "gid")).value_or(0);
    read.each(read.member(user, "additionalGids"), [&](Node node) {
        if (const auto gid = read.uint32(node)) view.additional_gids.push_back(*gid);
    });
    read.each_object(read.member(process, "rlimits"), [&](Node node) {
        view.rlimits.push_back({.type = read.string(node, "type"),
                                .soft = read.unsigned_integer(node, "soft"),
                                .hard = read.unsigned_integer(node, "hard")});
    });
    // Before runtime-spec 1.0 the member was one list for all sets.
    const Node capabilities = read.member(process, "capabilities");
    view.bounding_capabilities = read.strings(
        read.is_object(capabilities) ? read.member(capabilities, "bounding") : capabilities);
}

void read_mounts(const Reader& read, Node mounts, SpecView& view) {
    read.each_object(mounts, [&](Node node) {
        view.mounts.push_back({.destination = read.string(node, "destination"),
                               .type = read.string(node, "type"),
                               .source = read.string(node, "source"),
                               .options = read.strings(read.member(node, "options"))});
    });
}

void read_hooks(const Reader& read, Node hooks, SpecView& view) {
    for (const char* stage : {"prestart", "createRuntime", "createContainer", "startContainer",
                              "poststart", "poststop"})
        read.each_object(read.member(hooks, stage), [&](Node node) {
            view.hooks.push_back({.stage = stage,
                                  .path = read.string(node, "path"),
                                  .args = read.strings(read.member(node, "args"))});
        });
}

void read_devices(const Reader& read, Node linux_section, SpecView& view) {
    read.each_object(read.member(linux_section, "devices"), [&](Node node) {
        view.devices.push_back({.path = read.string(node, "path"),
                                .type = read.string(node, "type"),
                                .major = read.integer(node, "major").value_or(0),
                                .minor = read.integer(node, "minor").value_or(0),
                                .file_mode = read.uint32(read.member(node, "fileMode")),
                                .uid = read.uint32(read.member(node, "uid")),
                                .gid = read.uint32(read.member(node, "gid"))});
    });
    const Node resources = read.member(linux_section, "resources");
    read.each_object(read.member(resources, "devices"), [&](Node node) {
        const auto number = [&](const char* key) {
            const auto value = read.integer(node, key);
            return value == -1 ? std::nullopt : value;
        };
        const std::string type = read.string(node, "type");
        view.device_rules.push_back({.allow = read.boolean(node, "allow"),
                                     .type = type.empty() ? "a" : type,
                                     .major = number("major"),
                                     .minor = number("minor"),
                                     .access = read.string(node, "access")});
    });
}

std::vector<IdMapping> read_mappings(const Reader& read, Node list) {
    std::vector<IdMapping> mappings;
    read.each_object(list, [&](Node node) {
        mappings.push_back({.container_id = read.unsigned_integer(node, "containerID"),
                            .host_id = read.unsigned_integer(node, "hostID"),
                            .size = read.unsigned_integer(node, "size")});
    });
    return mappings;
}

void read_linux(const Reader& read, Node linux_section, SpecView& view) {
    view.has_linux = read.is_object(linux_section);
    read_devices(read, linux_section, view);
    read.each_object(read.member(linux_section, "namespaces"), [&](Node node) {
        view.namespaces.push_back(
            {.type = read.string(node, "type"), .path = read.string(node, "path")});
    });
    view.uid_mappings = read_mappings(read, read.member(linux_section, "uidMappings"));
    view.gid_mappings = read_mappings(read, read.member(linux_section, "gidMappings"));
    view.cgroups_path = read.string(linux_section, "cgroupsPath");
}

bool has_option(const std::vector<std::string>& options, std::string_view option) {
    return std::find(options.begin(), options.end(), option) != options.end();
}

}  // namespace

SpecView extract_spec_view(const JsonDocument& document) {
    const Reader read(document);
    const Node root = document.root();
    SpecView view;
    read_process(read, read.member(root, "process"), view);
    const Node rootfs = read.member(root, "root");
    view.root_path = read.string(rootfs, "path");
    view.root_readonly = read.boolean(rootfs, "readonly");
    read_mounts(read, read.member(root, "mounts"), view);
    const Node annotations = read.member(root, "annotations");
    for (Node node = read.is_object(annotations) ? document.first_child(annotations) : kNone;
         node != kNone; node = document.next_sibling(node))
        if (auto value = document.string(node)) view.annotations[document.key(node)] = *value;
    read_hooks(read, read.member(root, "hooks"), view);
    read_linux(read, read.member(root, "linux"), view);
    return view;
}

bool SpecMount::is_bind() const {
    return type == "bind" || has_option(options, "bind") || has_option(options, "rbind");
}

std::optional<std::string> SpecView::env_value(std::string_view name) const {
    if (name.empty()) return std::nullopt;
    for (auto entry = env.rbegin(); entry != env.rend(); ++entry) {
        // The sign first: hundreds of names have few of their lengths in common.
        const std::string_view text = *entry;
        if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name))
            return std::string(text.substr(name.size() + 1));
    }
    return std::nullopt;
}

const SpecNamespace* SpecView::find_namespace(std::string_view type) const {
    for (const SpecNamespace& entry : namespaces)
        if (entry.type == type) return &entry;
    return nullptr;
}

bool SpecView::has_new_user_namespace() const {
    const SpecNamespace* user = find_namespace("user");
    return user && user->path.empty();
}

bool SpecView::allows_all_devices() const {
    // Later rules count (cgroup v1 order, which runc and crun keep on v2).
    bool all = false;
    for (const SpecDeviceRule& rule : device_rules) {
        const bool everything = rule.type == "a" && !rule.major && !rule.minor &&
                                rule.access.find('r') != std::string::npos &&
                                rule.access.find('w') != std::string::npos &&
                                rule.access.find('m') != std::string::npos;
        if (!rule.allow) {
            all = false;
        } else if (everything) {
            all = true;
        }
    }
    return all;
}

std::string clean_path(std::string_view path) {
    const bool absolute = path.starts_with('/');
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view part = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            parts.push_back(part);
        } else if (!parts.empty() && parts.back() != "..") {
            parts.pop_back();
        } else if (!absolute) {
            parts.push_back(part);
        }
    }
    std::string clean = absolute ? "/" : "";
    for (const std::string_view part : parts) {
        if (!clean.empty() && clean.back() != '/') clean += '/';
        clean += part;
    }
    return clean.empty() ? "." : clean;
}

}  // namespace gantry::oci
