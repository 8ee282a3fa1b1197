#include "probe/inside/dynamic/hip_runtime.hpp"

#include <cstdio>
#include <cstring>

namespace gantry::probe::inside {

bool HipRuntime::get_calls(VendorLibrary& library) {
#define GANTRY_HIP_GET(member, symbol, parameters) \
    if (!library.get(member, #symbol)) return false;
    GANTRY_HIP_CALLS(GANTRY_HIP_GET)
#undef GANTRY_HIP_GET
    library.get_optional(error_name, "hipGetErrorName");
    library.get_optional(properties, "hipGetDevicePropertiesR0600");
    return properties || library.get(properties, "hipGetDeviceProperties");
}

const char* HipRuntime::name_of(HipResult error) const {
    return error_name ? error_name(error) : nullptr;
}

// hipDeviceProp_t begins with the name, in 256 bytes, and has another layout in
// HIP 5, 6 and 7, of 792 to 1472 bytes. The instruction set is its only other
// text, and nothing else in it begins with these letters.
HipResult HipRuntime::target(int device, char (&target)[32]) const {
    constexpr std::size_t kNameBytes = 256;
    alignas(16) static char bytes[16384];
    std::memset(bytes, 0, sizeof bytes);
    const HipResult result = properties(bytes, device);
    if (result != kHipSuccess) return result;
    for (std::size_t i = kNameBytes; i + sizeof target < sizeof bytes; ++i)
        if (std::memcmp(bytes + i, "gfx", 3) == 0) {
            std::snprintf(target, sizeof target, "%.*s",
                          static_cast<int>(std::strcspn(bytes + i, ":")), bytes + i);
            return result;
        }
    return result;
}

}  // namespace gantry::probe::inside
