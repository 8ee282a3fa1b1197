// How fast a GPU can be at most. For a threshold and for the report, never for a
// verdict alone: the figures are the makers' own.
#pragma once

#include <string_view>

namespace gantry::inventory {

// fp32 on the vector units, without matrix cores, in GFLOP/s, by the GPU's name
// (gpu_names.hpp, or as NVIDIA's driver gives it); 0 where it is not in the table.
[[nodiscard]] double peak_gflops(std::string_view name);

}  // namespace gantry::inventory
