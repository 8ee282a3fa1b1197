// Which GPUs run with another GPU's code objects, and which.
#pragma once

#include <span>

#include "inventory/inventory.hpp"

namespace gantry::plan {

struct OverrideRow {
    inventory::GfxVersion real;
    inventory::GfxVersion override;
    const char* why;
};

// Targets that ROCm's official packages up to 7.2 have no code objects for,
// and whose instruction set is the one of the override (LLVM's AMDGPU user
// guide, generic processor table: gfx10-3-generic). First table; rows that
// depend on what an image carries come with the image inspection.
[[nodiscard]] std::span<const OverrideRow> override_table();

}  // namespace gantry::plan
