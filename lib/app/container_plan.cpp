#include "app/container_plan.hpp"

#include <algorithm>

#include "app/image_facts.hpp"
#include "app/resource_facts.hpp"
#include "app/state_folder.hpp"
#include "apply/spec_editor.hpp"
#include "host/host_root.hpp"
#include "sys/file.hpp"

namespace gantry::app {

Result<ContainerRequest> read_container_request(const std::string& config,
                                                const Settings& settings) {
    GANTRY_TRY(oci::JsonDocument document, oci::JsonDocument::parse_borrowed(config));
    oci::SpecView spec = oci::extract_spec_view(document);
    GANTRY_TRY(request::Request request, request::extract_request(
                                             spec, {settings.environment,
                                                    settings.trusted_namespaces, settings.inject,
                                                    in_user_namespace()}));
    return ContainerRequest{std::move(document), std::move(spec), std::move(request)};
}

Settings settings_for(const Settings& settings, const request::Request& request) {
    Settings own = settings;
    if (!request.trusted_node_tool) return own;
    own.probe_level = ProbeLevel::Access;
    if (own.probe_policy == ProbePolicy::Fail) own.probe_policy = ProbePolicy::Warn;
    return own;
}

std::string rootfs_of(const oci::SpecView& spec, const std::string& bundle,
                      oci::RuntimeKind runtime) {
    if (spec.root_path.starts_with('/')) return sys::absolute_path(spec.root_path);
    const std::string path = bundle + "/" + spec.root_path;
    return runtime == oci::RuntimeKind::Runc ? oci::clean_path(path) : sys::absolute_path(path);
}

Result<plan::Plan> plan_container(const Settings& settings, const ContainerRequest& container,
                                  const std::string& rootfs, oci::RuntimeKind runtime) {
    host::FactsWanted wanted{
        .amd = container.request.amd.source != request::Source::None,
        .nvidia = container.request.nvidia.source != request::Source::None,
        .unclaimed = false};
    GANTRY_TRY(const host::HostRoot root, host::HostRoot::open(settings.host_root));
    const plan::ImageFacts image = read_image_facts(rootfs, container.request);
    const auto attempt = [&]() -> Result<plan::Plan> {
        GANTRY_TRY(const host::HostFacts facts, host::read_host_facts(root, wanted));
        return plan::make_plan(inventory::build_inventory(facts), container.request,
                               container.spec, image, runtime);
    };
    auto plan = attempt();
    // Of a GPU that no vendor driver holds, the error is to say so; only this
    // case is worth a look at every PCI function.
    if (!plan && plan.error().code == Code::SelectorUnknown) {
        wanted.unclaimed = true;
        plan = attempt();
    }
    if (plan && !plan->gpus.empty()) {
        const auto has = [&](inventory::Vendor vendor) {
            return std::ranges::find(plan->gpus, vendor, &inventory::Gpu::vendor) !=
                   plan->gpus.end();
        };
        for (std::string& warning : plan::resource_warnings(
                 container.spec, read_resource_facts(container.spec), settings.warnings,
                 has(inventory::Vendor::Amd), has(inventory::Vendor::Nvidia)))
            plan->notices.push_back(std::move(warning));
    }
    return plan;
}

Result<std::string> edit_container(ContainerRequest& container, const plan::Plan& plan) {
    GANTRY_CHECK(apply::apply_edits(container.document, plan.edits));
    return container.document.render();
}

}  // namespace gantry::app
