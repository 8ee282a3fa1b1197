#include "app/debug_bundle.hpp"

#include <cerrno>

#include "app/bundle.hpp"
#include "app/container_plan.hpp"
#include "app/debug_run.hpp"
#include "base/text.hpp"
#include "host/host_root.hpp"
#include "oci-spec/json_document.hpp"

namespace gantry::app {
namespace {

Result<inventory::Inventory> read_inventory(const Settings& settings) {
    GANTRY_TRY(const host::HostRoot root, host::HostRoot::open(settings.host_root));
    GANTRY_TRY(const host::HostFacts facts, host::read_host_facts(root));
    return inventory::build_inventory(facts);
}

Result<LowLevelRuntime> pick_runtime(const Settings& settings, const DebugOptions& options) {
    if (!options.runtime) return choose_runtime(std::nullopt, settings.runtime_paths);
    if (sys::is_executable_file(*options.runtime))
        return LowLevelRuntime{sys::absolute_path(*options.runtime), kind_of(*options.runtime)};
    return fail(Code::RuntimeMissing, *options.runtime + " is no program that can be run",
                "Name runc or crun by its path");
}

Status walk(const Settings& settings, const DebugOptions& options,
            const std::vector<std::string>& environment, const DebugStep& step,
            DebugResult& result) {
    GANTRY_TRY(const LowLevelRuntime runtime, pick_runtime(settings, options));
    result.runtime = runtime.path;
    GANTRY_TRY(result.inventory, read_inventory(settings));
    step("facts", result);

    const std::string bundle = sys::absolute_path(options.bundle);
    const auto spec = read_bundle_spec(bundle + "/config.json");
    if (!spec)
        return fail(Code::SpecUnreadable, bundle + "/config.json: " + errno_text(errno),
                    "Give the folder that holds config.json (runc spec makes one)");
    GANTRY_TRY(ContainerRequest container,
               read_container_request(spec->original(), settings));
    result.request = container.request;
    step("request", result);
    const std::string rootfs = rootfs_of(container.spec, bundle);
    GANTRY_TRY(result.plan, plan_container(settings, container, rootfs, runtime.kind));
    step("plan", result);
    GANTRY_TRY(const std::string edited, edit_container(container, *result.plan));
    result.difference = describe_difference(result.plan->edits);
    step("difference", result);

    const Settings own = settings_for(settings, container.request);
    if (!options.run) result.no_run_reason = "--no-run was given";
    if (result.no_run_reason.empty())
        run_debug_copy({own, runtime, environment, bundle, rootfs, edited, *result.plan,
                        container.spec.args, options.check_only},
                       step, result);
    if (!result.no_run_reason.empty()) step("not run", result);
    return {};
}

}  // namespace

std::vector<std::string> describe_difference(const oci::ContainerEdits& edits) {
    using oci::json_quote;
    std::vector<std::string> lines;
    for (const oci::EnvEdit& edit : edits.env)
        lines.push_back(edit.value ? "+ process.env[] " + json_quote(edit.name + "=" + *edit.value)
                                   : "- process.env[] " + json_quote(edit.name + "="));
    for (const oci::GidEdit& edit : edits.additional_gids)
        lines.push_back("+ process.user.additionalGids[] " + std::to_string(edit.gid));
    for (const oci::MountEdit& edit : edits.mounts)
        lines.push_back("+ mounts[] " + edit.container_path);
    for (const oci::DeviceEdit& edit : edits.devices) {
        const std::string numbers =
            std::string(1, edit.type) + " " + std::to_string(edit.major) + ":" +
            std::to_string(edit.minor);
        if (edit.add_node) lines.push_back("+ linux.devices[] " + edit.path + " " + numbers);
        if (edit.add_rule)
            lines.push_back("+ linux.resources.devices[] allow " + numbers + " " +
                            edit.permissions);
    }
    return lines;
}

DebugResult debug_bundle(const Settings& settings, const DebugOptions& options,
                         const std::vector<std::string>& environment, const DebugStep& step) {
    DebugResult result;
    if (auto walked = walk(settings, options, environment, step, result); !walked)
        result.error = std::move(walked.error());
    return result;
}

}  // namespace gantry::app
