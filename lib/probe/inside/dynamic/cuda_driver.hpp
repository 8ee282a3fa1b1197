// NVIDIA's driver library, by own declarations of the few calls, so that building
// needs no CUDA toolkit: the driver API of cuda.h (12.4). The names with _v2 are
// what the header maps the plain ones to since CUDA 3.2 or 4.0, and every driver
// still has them.
#pragma once

#include <cstddef>

#include "probe/inside/dynamic/library.hpp"

namespace gantry::probe::inside {

using CudaResult = int;
using CudaDevice = int;
using CudaPointer = unsigned long long;
using CudaContext = struct CudaContextHandle*;
using CudaModule = struct CudaModuleHandle*;
using CudaFunction = struct CudaFunctionHandle*;
using CudaEvent = struct CudaEventHandle*;
using CudaStream = struct CudaStreamHandle*;

inline constexpr CudaResult kCudaSuccess = 0;
inline constexpr CudaResult kCudaOutOfMemory = 2;
inline constexpr CudaResult kCudaDeviceUnavailable = 46;
inline constexpr CudaResult kCudaNotReady = 600;

// CUdevice_attribute
inline constexpr int kCudaMultiprocessors = 16;
inline constexpr int kCudaComputeMode = 20;  // 0: default, else exclusive or prohibited
inline constexpr int kCudaCapabilityMajor = 75, kCudaCapabilityMinor = 76;

inline constexpr unsigned kCudaBlockingSync = 4;    // CU_CTX_SCHED_BLOCKING_SYNC
inline constexpr int kCudaJitErrorLog = 5, kCudaJitErrorLogBytes = 6;  // CUjit_option

//     member, symbol, parameters
#define GANTRY_CUDA_CALLS(CALL)                                                               \
    CALL(init, "cuInit", (unsigned flags))                                                    \
    CALL(driver_version, "cuDriverGetVersion", (int* version))                                \
    CALL(device_count, "cuDeviceGetCount", (int* count))                                      \
    CALL(device_get, "cuDeviceGet", (CudaDevice * device, int ordinal))                       \
    CALL(device_name, "cuDeviceGetName", (char* name, int size, CudaDevice device))           \
    CALL(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, CudaDevice))   \
    CALL(device_pci, "cuDeviceGetPCIBusId", (char* address, int size, CudaDevice device))     \
    CALL(context_flags, "cuDevicePrimaryCtxSetFlags_v2", (CudaDevice device, unsigned flags)) \
    CALL(context_retain, "cuDevicePrimaryCtxRetain", (CudaContext * context, CudaDevice))     \
    CALL(context_release, "cuDevicePrimaryCtxRelease_v2", (CudaDevice device))                \
    CALL(context_set, "cuCtxSetCurrent", (CudaContext context))                               \
    CALL(synchronize, "cuCtxSynchronize", ())                                                 \
    CALL(module_load, "cuModuleLoadDataEx",                                                   \
         (CudaModule * module, const void* image, unsigned count, int* options, void** values)) \
    CALL(module_function, "cuModuleGetFunction",                                              \
         (CudaFunction * function, CudaModule module, const char* name))                      \
    CALL(module_unload, "cuModuleUnload", (CudaModule module))                                \
    CALL(memory_info, "cuMemGetInfo_v2", (std::size_t * free, std::size_t * total))           \
    CALL(allocate, "cuMemAlloc_v2", (CudaPointer * pointer, std::size_t size))                \
    CALL(free, "cuMemFree_v2", (CudaPointer pointer))                                         \
    CALL(copy_to_host, "cuMemcpyDtoH_v2", (void* to, CudaPointer from, std::size_t size))     \
    CALL(launch, "cuLaunchKernel",                                                            \
         (CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,           \
          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,        \
          CudaStream stream, void** parameters, void** extra))                                \
    CALL(event_create, "cuEventCreate", (CudaEvent * event, unsigned flags))                  \
    CALL(event_record, "cuEventRecord", (CudaEvent event, CudaStream stream))                 \
    CALL(event_query, "cuEventQuery", (CudaEvent event))                                      \
    CALL(event_elapsed, "cuEventElapsedTime", (float* milliseconds, CudaEvent from, CudaEvent to)) \
    CALL(event_destroy, "cuEventDestroy_v2", (CudaEvent event))

struct CudaDriver {
#define GANTRY_CUDA_MEMBER(member, symbol, parameters) CudaResult(*member) parameters = nullptr;
    GANTRY_CUDA_CALLS(GANTRY_CUDA_MEMBER)
#undef GANTRY_CUDA_MEMBER
    CudaResult (*error_name)(CudaResult error, const char** name) = nullptr;  // since 6.0

    // False where the library lacks one; it has reported which.
    [[nodiscard]] bool get_calls(VendorLibrary& library);
    // Null where the library does not know it.
    [[nodiscard]] const char* name_of(CudaResult error) const;
};

}  // namespace gantry::probe::inside
