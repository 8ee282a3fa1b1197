#include "apply/twin_spec.hpp"

#include <algorithm>
#include <array>

#include "oci-spec/json_document.hpp"
#include "oci-spec/spec_view.hpp"

namespace gantry::apply {
namespace {

using oci::json_quote;
using oci::JsonDocument;
using oci::JsonKind;
using Node = JsonDocument::Node;

// Hooks that inject GPUs run in the twin too, or it would lack what the
// container will have. All others (a network set-up, a tracer) act on the
// outside world and must run once, for the container itself.
constexpr std::array kInjectingHooks = {
    std::string_view("nvidia-container-runtime-hook"), std::string_view("nvidia-container-toolkit"),
    std::string_view("nvidia-cdi-hook"), std::string_view("nvidia-ctk")};

constexpr std::array kKeptStages = {std::string_view("prestart"), std::string_view("createRuntime"),
                                    std::string_view("createContainer")};

// What runc and crun make in /dev where no mount covers it.
constexpr std::array kDevEntries = {"/dev/null",   "/dev/zero",   "/dev/full", "/dev/tty",
                                    "/dev/random", "/dev/urandom", "/dev/fd",   "/dev/stdin",
                                    "/dev/stdout", "/dev/stderr", "/dev/ptmx", "/dev/console",
                                    "/dev/core",   "/dev/pts",    "/dev/shm",  "/dev/mqueue"};

// crun writes what hooks print to files that these name, and tells helpers of
// the engine about the container's process and its system calls.
constexpr std::array kOutwardAnnotations = {
    std::string_view("run.oci.hooks.stdout"), std::string_view("run.oci.hooks.stderr"),
    std::string_view("run.oci.pidfd_receiver"), std::string_view("run.oci.seccomp.receiver"),
    std::string_view("run.oci.seccomp.plugins")};

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

void edit_hooks(JsonDocument& document) {
    const Node hooks = document.member(document.root(), "hooks");
    if (hooks == JsonDocument::kNone) return;
    std::string kept;
    for (const std::string_view stage : kKeptStages) {
        std::string entries;
        const Node list = document.member(hooks, stage);
        for (Node hook = list == JsonDocument::kNone ? list : document.first_child(list);
             hook != JsonDocument::kNone; hook = document.next_sibling(hook)) {
            const auto path = document.string(document.member(hook, "path"));
            if (path && std::ranges::find(kInjectingHooks, base_name(*path)) != kInjectingHooks.end())
                entries.append(entries.empty() ? "" : ",").append(document.raw(hook));
        }
        if (!entries.empty())
            kept.append(kept.empty() ? "" : ",")
                .append(json_quote(stage))
                .append(":[")
                .append(entries)
                .append("]");
    }
    if (kept.empty())
        document.remove(hooks);
    else
        document.replace(hooks, "{" + kept + "}");
}

void remove_member(JsonDocument& document, Node object, std::string_view key) {
    if (const Node node = document.member(object, key); node != JsonDocument::kNone)
        document.remove(node);
}

// Beside its own the check needs a few for pipes, libraries and the driver: the
// container may manage with less.
void raise_open_files(JsonDocument& document, Node process) {
    constexpr std::uint64_t kLeast = 64;
    const Node limits = document.member(process, "rlimits");
    for (Node limit = limits == JsonDocument::kNone ? limits : document.first_child(limits);
         limit != JsonDocument::kNone; limit = document.next_sibling(limit)) {
        if (document.string(document.member(limit, "type")) != "RLIMIT_NOFILE") continue;
        for (const std::string_view which : {"soft", "hard"}) {
            const auto value = document.unsigned_integer(document.member(limit, which));
            if (value && *value < kLeast) document.set(limit, which, std::to_string(kLeast));
        }
    }
}

Status edit_process(JsonDocument& document, const TwinSpec& twin) {
    const Node process = document.ensure(document.root(), "process", JsonKind::Object);
    if (process == JsonDocument::kNone)
        return fail(Code::SpecMalformed, "process in config.json is no object",
                    "Correct config.json; the engine or the tool that wrote it is at fault");
    std::string arguments;
    for (const std::string& argument : twin.arguments)
        arguments.append(arguments.empty() ? "" : ",").append(json_quote(argument));
    document.set(process, "args", "[" + arguments + "]");
    document.set(process, "terminal", "false");
    // runc makes a missing working folder in the rootfs.
    document.set(process, "cwd", "\"/\"");
    raise_open_files(document, process);
    remove_member(document, process, "consoleSize");
    remove_member(document, process, "commandLine");
    return {};
}

// Calls that an agent outside decides on: it waits for the container, not for
// the twin, and what it might allow is not to be allowed without it.
void edit_seccomp(JsonDocument& document, Node seccomp) {
    remove_member(document, seccomp, "listenerPath");
    remove_member(document, seccomp, "listenerMetadata");
    const Node calls = document.member(seccomp, "syscalls");
    for (Node call = calls == JsonDocument::kNone ? calls : document.first_child(calls);
         call != JsonDocument::kNone; call = document.next_sibling(call))
        if (document.string(document.member(call, "action")) == "SCMP_ACT_NOTIFY")
            document.set(call, "action", "\"SCMP_ACT_ERRNO\"");
}

void edit_linux(JsonDocument& document, const TwinSpec& twin, std::string& cgroups_path) {
    const Node linux_section = document.member(document.root(), "linux");
    if (linux_section == JsonDocument::kNone) return;
    // The container's own limits must neither choke the check nor count it.
    const Node resources = document.member(linux_section, "resources");
    if (resources != JsonDocument::kNone) {
        const Node devices = document.member(resources, "devices");
        document.replace(resources, devices == JsonDocument::kNone
                                        ? "{}"
                                        : "{\"devices\":" + std::string(document.raw(devices)) + "}");
    }
    remove_member(document, linux_section, "intelRdt");
    remove_member(document, linux_section, "netDevices");  // would move the host's interface
    if (const Node seccomp = document.member(linux_section, "seccomp");
        seccomp != JsonDocument::kNone)
        edit_seccomp(document, seccomp);
    if (const auto path = document.string(document.member(linux_section, "cgroupsPath"));
        path && !path->empty()) {
        cgroups_path = sibling_cgroups_path(*path, twin.id);
        document.set(linux_section, "cgroupsPath", json_quote(cgroups_path));
    }
}

void edit_mounts(JsonDocument& document, const oci::SpecView& view, const TwinSpec& twin) {
    const Node mounts = document.ensure(document.root(), "mounts", JsonKind::Array);
    if (mounts == JsonDocument::kNone) return;
    std::size_t index = 0;
    for (Node mount = document.first_child(mounts);
         mount != JsonDocument::kNone && index < view.mounts.size();
         mount = document.next_sibling(mount)) {
        if (document.kind(mount) != JsonKind::Object) continue;  // the view has none of it
        // A relative source is relative to the bundle, and the twin has its own.
        const oci::SpecMount& facts = view.mounts[index++];
        if (facts.is_bind() && !facts.source.empty() && facts.source.front() != '/')
            document.set(mount, "source", json_quote(twin.bundle + "/" + facts.source));
    }
    const bool has_proc = std::ranges::any_of(view.mounts, [](const oci::SpecMount& mount) {
        return oci::clean_path(mount.destination) == "/proc";
    });
    // The program is started by its descriptor's name below /proc.
    if (!has_proc)
        document.append(mounts,
                        R"({"destination":"/proc","type":"proc","source":"proc",)"
                        R"("options":["nosuid","noexec","nodev"]})");
}

std::vector<std::string> touched_paths(const oci::SpecView& view) {
    std::vector<std::string> paths{"/proc"};
    bool own_dev = false;
    for (const oci::SpecMount& mount : view.mounts) {
        paths.push_back(oci::clean_path(mount.destination));
        own_dev = own_dev || paths.back() == "/dev";
    }
    if (!own_dev) {
        paths.insert(paths.end(), kDevEntries.begin(), kDevEntries.end());
        for (const oci::SpecDevice& device : view.devices)
            paths.push_back(oci::clean_path(device.path));
    }
    return paths;
}

}  // namespace

std::string sibling_cgroups_path(const std::string& path, const std::string& name) {
    const std::size_t colon = path.find(':');
    if (colon != std::string::npos && !path.starts_with('/'))
        return path.substr(0, colon) + ":gantry:" + name;
    // Slashes at the end would make a child of it, with its limits.
    const std::size_t last = path.find_last_not_of('/');
    const std::size_t slash = last == std::string::npos ? 0 : path.rfind('/', last);
    return (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + name;
}

Result<TwinDocument> make_twin_document(const std::string& edited, const TwinSpec& twin) {
    GANTRY_TRY(JsonDocument document, JsonDocument::parse(edited));
    const oci::SpecView view = oci::extract_spec_view(document);
    TwinDocument made;
    GANTRY_CHECK(edit_process(document, twin));
    const Node root = document.ensure(document.root(), "root", JsonKind::Object);
    if (root != JsonDocument::kNone) document.set(root, "path", json_quote(twin.rootfs));
    edit_mounts(document, view, twin);
    edit_hooks(document);
    edit_linux(document, twin, made.cgroups_path);
    if (const Node notes = document.member(document.root(), "annotations");
        notes != JsonDocument::kNone)
        for (const std::string_view name : kOutwardAnnotations) remove_member(document, notes, name);
    made.text = document.render();
    made.touched_paths = touched_paths(view);
    return made;
}

}  // namespace gantry::apply
