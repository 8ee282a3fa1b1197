#include "plan/override_table.hpp"

namespace gantry::plan {
namespace {

constexpr const char* kGfx103 = "same instruction set as gfx1030, which ROCm is built for";

constexpr OverrideRow kRows[] = {
    {{10, 3, 1}, {10, 3, 0}, kGfx103},  // RX 6700, 6750, 6800M
    {{10, 3, 2}, {10, 3, 0}, kGfx103},  // RX 6600, 6650
    {{10, 3, 3}, {10, 3, 0}, kGfx103},  // Van Gogh
    {{10, 3, 4}, {10, 3, 0}, kGfx103},  // RX 6400, 6500
    {{10, 3, 5}, {10, 3, 0}, kGfx103},  // Rembrandt
    {{10, 3, 6}, {10, 3, 0}, kGfx103},  // Raphael, Granite Ridge
};

}  // namespace

std::span<const OverrideRow> override_table() { return kRows; }

}  // namespace gantry::plan
