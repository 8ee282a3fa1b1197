// From a config.json to a plan: the use case that shim, hook and gantryctl share.
#pragma once

#include <optional>
#include <string>

#include "app/settings.hpp"
#include "oci-spec/json_document.hpp"
#include "plan/plan.hpp"

namespace gantry::app {

struct ContainerRequest {
    oci::JsonDocument document;  // of the text that was read, which has to outlive it
    oci::SpecView spec;
    request::Request request;
};

// Errors: SpecMalformed, SpecTooLarge, SpecTooDeep, SelectorMalformed.
[[nodiscard]] Result<ContainerRequest> read_container_request(
    const std::string& config, const Settings& settings);
Result<ContainerRequest> read_container_request(std::string&& config,
                                                const Settings& settings) = delete;

// The settings that count for this container: a trusted node tool must start on
// a node with a broken GPU, so its check opens the nodes alone and only warns.
[[nodiscard]] Settings settings_for(const Settings& settings, const request::Request& request);

// The container's root folder, absolute. runc takes ".." in a relative one as text,
// crun has the kernel walk it.
[[nodiscard]] std::string rootfs_of(const oci::SpecView& spec, const std::string& bundle,
                                    oci::RuntimeKind runtime = oci::RuntimeKind::Runc);

// Reads host and image, and plans. Errors: every 2xx and 3xx code.
[[nodiscard]] Result<plan::Plan> plan_container(const Settings& settings,
                                                const ContainerRequest& container,
                                                const std::string& rootfs,
                                                oci::RuntimeKind runtime);

// Applies the plan to the document and returns its text; with inject = false
// every byte of the original.
[[nodiscard]] Result<std::string> edit_container(ContainerRequest& container,
                                                 const plan::Plan& plan);

}  // namespace gantry::app
