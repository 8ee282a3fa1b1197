#include "probe/inside/dynamic/cuda_driver.hpp"

namespace gantry::probe::inside {

bool CudaDriver::get_calls(VendorLibrary& library) {
#define GANTRY_CUDA_GET(member, symbol, parameters) \
    if (!library.get(member, symbol)) return false;
    GANTRY_CUDA_CALLS(GANTRY_CUDA_GET)
#undef GANTRY_CUDA_GET
    library.get_optional(error_name, "cuGetErrorName");
    return true;
}

const char* CudaDriver::name_of(CudaResult error) const {
    const char* name = nullptr;
    return error_name && error_name(error, &name) == kCudaSuccess ? name : nullptr;
}

}  // namespace gantry::probe::inside
