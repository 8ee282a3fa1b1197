// Sizes and limits that a container gets without its spec saying so.
#pragma once

#include "oci-spec/spec_view.hpp"
#include "plan/warnings.hpp"

namespace gantry::app {

// The limit is this process's own: the low-level runtime takes its place and
// hands it on.
[[nodiscard]] plan::ResourceFacts read_resource_facts(const oci::SpecView& spec);

}  // namespace gantry::app
