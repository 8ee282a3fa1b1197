// AMD's HIP runtime, by own declarations of the few calls, so that building needs
// no ROCm: the module API of hip_runtime_api.h, which kept these forms from HIP 5
// to 7, while what it says of a device in a struct did not.
// tests/probe/hsa/hip_abi.cpp holds them against the headers of Debian.
#pragma once

#include <cstddef>

#include "probe/inside/dynamic/library.hpp"

namespace gantry::probe::inside {

using HipResult = int;
using HipModule = struct ihipModule_t*;
using HipFunction = struct ihipModuleSymbol_t*;
using HipEvent = struct ihipEvent_t*;
using HipStream = struct ihipStream_t*;

inline constexpr HipResult kHipSuccess = 0;
inline constexpr HipResult kHipNotReady = 600;
inline constexpr int kHipMultiprocessors = 63;  // hipDeviceAttribute_t since HIP 5.0
inline constexpr unsigned kHipBlockingSync = 4;  // hipDeviceScheduleBlockingSync

//   member, symbol, parameters
#define GANTRY_HIP_CALLS(CALL)                                                              \
    CALL(init, hipInit, (unsigned flags))                                                   \
    CALL(runtime_version, hipRuntimeGetVersion, (int* version))                             \
    CALL(device_count, hipGetDeviceCount, (int* count))                                     \
    CALL(set_device, hipSetDevice, (int device))                                            \
    CALL(set_device_flags, hipSetDeviceFlags, (unsigned flags))                             \
    CALL(device_name, hipDeviceGetName, (char* name, int size, int device))                 \
    CALL(device_pci, hipDeviceGetPCIBusId, (char* address, int size, int device))           \
    CALL(device_attribute, hipDeviceGetAttribute, (int* value, int attribute, int device))  \
    CALL(module_load, hipModuleLoadData, (HipModule * module, const void* image))           \
    CALL(module_function, hipModuleGetFunction,                                             \
         (HipFunction * function, HipModule module, const char* name))                      \
    CALL(module_unload, hipModuleUnload, (HipModule module))                                \
    CALL(memory_info, hipMemGetInfo, (std::size_t * free, std::size_t * total))             \
    CALL(allocate, hipMalloc, (void** pointer, std::size_t size))                           \
    CALL(free, hipFree, (void* pointer))                                                    \
    CALL(host_allocate, hipHostMalloc, (void** pointer, std::size_t size, unsigned flags))  \
    CALL(host_free, hipHostFree, (void* pointer))                                           \
    CALL(launch, hipModuleLaunchKernel,                                                     \
         (HipFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,      \
          HipStream stream, void** parameters, void** extra))                               \
    CALL(event_create, hipEventCreate, (HipEvent * event))                                  \
    CALL(event_record, hipEventRecord, (HipEvent event, HipStream stream))                  \
    CALL(event_query, hipEventQuery, (HipEvent event))                                      \
    CALL(event_elapsed, hipEventElapsedTime, (float* milliseconds, HipEvent from, HipEvent to)) \
    CALL(event_destroy, hipEventDestroy, (HipEvent event))

struct HipRuntime {
#define GANTRY_HIP_MEMBER(member, symbol, parameters) HipResult(*member) parameters = nullptr;
    GANTRY_HIP_CALLS(GANTRY_HIP_MEMBER)
#undef GANTRY_HIP_MEMBER
    HipResult (*properties)(void* properties, int device) = nullptr;
    const char* (*error_name)(HipResult error) = nullptr;  // may lack

    // False where the library lacks one that it must have; it has reported which.
    [[nodiscard]] bool get_calls(VendorLibrary& library);
    // Null where the library does not know it.
    [[nodiscard]] const char* name_of(HipResult error) const;
    // The instruction set, "gfx1030"; empty where the runtime does not say.
    [[nodiscard]] HipResult target(int device, char (&target)[32]) const;
};

}  // namespace gantry::probe::inside
