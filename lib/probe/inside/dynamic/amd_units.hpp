// Which unit of an AMD GPU a group ran on.
#pragma once

#include "probe/kernels/gemm_data.hpp"

namespace gantry::probe::inside {

// The evidence kernel notes a whole register of the wave. Of HW_ID (gfx9; the ISA
// documents of Vega and CDNA) the unit is CU_ID 11:8, SH_ID 12 and SE_ID 15:13 at
// most, of HW_ID1 (those of RDNA) WGP_ID 13:10, SA_ID 16 and SE_ID 20:18; the rest
// tells apart waves, queues and processes.
constexpr std::uint32_t unit_bits(const char* target) {
    constexpr std::uint32_t kHwId = 0xFF00, kHwId1 = 0xFU << 10 | 1U << 16 | 7U << 18;
    const bool gfx9 = target[0] == 'g' && target[1] == 'f' && target[2] == 'x' && target[3] == '9';
    return gfx9 ? kHwId : kHwId1;
}

inline void keep_unit(Evidence* groups, unsigned count, const char* target) {
    for (unsigned i = 0; i < count; ++i) groups[i].unit &= unit_bits(target);
}

}  // namespace gantry::probe::inside
