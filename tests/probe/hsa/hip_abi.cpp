// As hsa_abi.cpp, for our own declarations of HIP.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1  // templates of the same names
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <hip/hip_runtime_api.h>
#pragma GCC diagnostic pop

#include "probe/inside/dynamic/hip_runtime.hpp"
#include "same_abi.hpp"

namespace gantry::probe::inside {
namespace {

#define GANTRY_COMPARE(member, symbol, parameters) \
    static_assert(SameAbi<decltype(HipRuntime::member), decltype(&::symbol)>::value, #symbol);
GANTRY_HIP_CALLS(GANTRY_COMPARE)
#undef GANTRY_COMPARE
static_assert(SameAbi<decltype(HipRuntime::properties),
                      decltype(&::hipGetDeviceProperties)>::value);
static_assert(SameAbi<decltype(HipRuntime::error_name), decltype(&::hipGetErrorName)>::value);

static_assert(kHipSuccess == hipSuccess && kHipNotReady == hipErrorNotReady);
static_assert(kHipMultiprocessors == hipDeviceAttributeMultiprocessorCount);
static_assert(kHipBlockingSync == hipDeviceScheduleBlockingSync);
// What HipRuntime::target() takes for granted.
static_assert(offsetof(hipDeviceProp_t, name) == 0 && sizeof(hipDeviceProp_t::name) == 256);
static_assert(offsetof(hipDeviceProp_t, gcnArchName) > 256);

}  // namespace
}  // namespace gantry::probe::inside
