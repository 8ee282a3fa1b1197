// The host and the request that most of these tests start from.
#pragma once

#include "plan/planned.hpp"

namespace gantry::test {

inline InventoryParts one_amd(NodeMode mode = {0660, 110}) {
    InventoryParts parts;
    parts.cpu().kfd(mode).amd("RX 7900 XTX", 110000, 128, mode);
    return parts;
}

inline SpecParts amd_spec(const std::string& value = "all") {
    SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=" + value};
    return parts;
}

}  // namespace gantry::test
