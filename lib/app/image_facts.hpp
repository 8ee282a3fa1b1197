// A look into the image's files, through descriptors that cannot leave its root.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace gantry::app {

// Defaults where the rootfs cannot be opened: the low-level runtime will say
// so. Reads only what the request needs.
[[nodiscard]] plan::ImageFacts read_image_facts(const std::string& rootfs,
                                                const request::Request& request);

}  // namespace gantry::app
