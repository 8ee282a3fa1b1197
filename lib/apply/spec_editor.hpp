// Applies container edits to config.json as a document. Pure.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "oci-spec/container_edits.hpp"
#include "oci-spec/json_document.hpp"

namespace gantry::apply {

// Allow rules go to the end of the list, where nothing denies after them; a
// variable is replaced where it stands. Sections are made only where an edit
// needs them. Error: SpecMalformed where a section is of the wrong JSON type.
[[nodiscard]] Status apply_edits(oci::JsonDocument& document, const oci::ContainerEdits& edits);

// The same for a process that joins the container later: `document` is the
// process object of `exec --process`, not a whole config.json. What its caller
// set by hand stays; what is missing or empty is completed.
[[nodiscard]] Status complete_process(oci::JsonDocument& document,
                                      const std::vector<oci::EnvEdit>& env,
                                      const std::vector<oci::GidEdit>& additional_gids);

// `document` is the resources object of `update --resources`. A list of device
// rules in it replaces the container's (crun acts on it); the given rules are
// appended where it lacks them. Without a list nothing is taken away or added.
[[nodiscard]] Status complete_resources(oci::JsonDocument& document,
                                        const std::vector<oci::DeviceEdit>& rules);

}  // namespace gantry::apply
