// AMD's HSA runtime, by own declarations of the few calls, so that building needs
// no ROCm: hsa.h of the HSA runtime specification 1.2 and AMD's hsa_ext_amd.h,
// whose binary interface libhsa-runtime64.so.1 has kept from ROCm 1 to 7.
// tests/probe/hsa/hsa_abi.cpp holds them against the headers of Debian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/inside/dynamic/library.hpp"

namespace gantry::probe::inside {

using HsaStatus = std::uint32_t;
struct HsaAgent { std::uint64_t handle; };
struct HsaIsa { std::uint64_t handle; };
struct HsaPool { std::uint64_t handle; };
struct HsaSignal { std::uint64_t handle; };
struct HsaReader { std::uint64_t handle; };
struct HsaExecutable { std::uint64_t handle; };
struct HsaSymbol { std::uint64_t handle; };

inline constexpr HsaStatus kHsaSuccess = 0;
inline constexpr HsaStatus kHsaException = 0x1016;  // HSA_STATUS_ERROR_EXCEPTION
inline constexpr HsaStatus kHsaMemoryFault = 43;    // HSA_STATUS_ERROR_MEMORY_FAULT

inline constexpr unsigned kHsaTimestampFrequency = 3;  // hsa_system_info_t

// hsa_agent_info_t, and AMD's own from 0xA000 on. MEMORY_AVAIL came with ROCm 5.3.
inline constexpr unsigned kHsaAgentDevice = 17;
inline constexpr unsigned kHsaAgentComputeUnits = 0xA002, kHsaAgentBdf = 0xA006,
                          kHsaAgentProductName = 0xA009, kHsaAgentDomain = 0xA00F,
                          kHsaAgentMemoryAvailable = 0xA015;
inline constexpr std::uint32_t kHsaDeviceCpu = 0, kHsaDeviceGpu = 1;
inline constexpr std::size_t kHsaNameBytes = 64;  // of a product

inline constexpr unsigned kHsaIsaNameLength = 0, kHsaIsaName = 1;  // hsa_isa_info_t

// hsa_amd_memory_pool_info_t, hsa_amd_segment_t and the flags of a global pool
inline constexpr unsigned kHsaPoolSegment = 0, kHsaPoolFlags = 1, kHsaPoolSize = 2,
                          kHsaPoolMayAllocate = 5;
inline constexpr std::uint32_t kHsaGlobalSegment = 0;
inline constexpr std::uint32_t kHsaFineGrained = 2, kHsaCoarseGrained = 4;

inline constexpr unsigned kHsaBaseProfile = 0, kHsaDefaultRounding = 0;
// hsa_executable_symbol_info_t
inline constexpr unsigned kHsaKernelGroupBytes = 13, kHsaKernelPrivateBytes = 14,
                          kHsaKernelObject = 22;

inline constexpr std::uint32_t kHsaQueueOfOneProducer = 1;  // HSA_QUEUE_TYPE_SINGLE

struct HsaQueue {  // hsa_queue_t of the large machine model
    std::uint32_t type, features;
    void* base_address;
    HsaSignal doorbell;
    std::uint32_t size, reserved;
    std::uint64_t id;
};

struct HsaDispatchPacket {  // hsa_kernel_dispatch_packet_t
    std::uint16_t header, setup;
    std::uint16_t group_x, group_y, group_z, reserved0;
    std::uint32_t grid_x, grid_y, grid_z;  // in work-items
    std::uint32_t private_bytes, group_bytes;
    std::uint64_t kernel_object;
    void* arguments;
    std::uint64_t reserved2;
    HsaSignal completion;
};

struct HsaDispatchTime {  // in ticks of kHsaTimestampFrequency
    std::uint64_t start, end;
};

struct HsaEvent {  // hsa_amd_event_t: of each type but the shutdown an agent comes first
    std::uint32_t type;
    HsaAgent agent;
};
inline constexpr std::uint32_t kHsaMemoryFaultEvent = 0, kHsaLastAgentEvent = 2;

using HsaQueueError = void (*)(HsaStatus, HsaQueue*, void* data);
using HsaEventHandler = HsaStatus (*)(const HsaEvent*, void* data);

//   member, symbol, parameters, each of which returns a status
#define GANTRY_HSA_CALLS(CALL)                                                                \
    CALL(init, hsa_init, ())                                                                  \
    CALL(shut_down, hsa_shut_down, ())                                                        \
    CALL(system_info, hsa_system_get_info, (unsigned attribute, void* value))                 \
    CALL(iterate_agents, hsa_iterate_agents,                                                  \
         (HsaStatus(*visit)(HsaAgent, void*), void* data))                                    \
    CALL(agent_info, hsa_agent_get_info, (HsaAgent agent, unsigned attribute, void* value))   \
    CALL(iterate_isas, hsa_agent_iterate_isas,                                                \
         (HsaAgent agent, HsaStatus(*visit)(HsaIsa, void*), void* data))                      \
    CALL(isa_info, hsa_isa_get_info_alt, (HsaIsa isa, unsigned attribute, void* value))       \
    CALL(iterate_pools, hsa_amd_agent_iterate_memory_pools,                                   \
         (HsaAgent agent, HsaStatus(*visit)(HsaPool, void*), void* data))                     \
    CALL(pool_info, hsa_amd_memory_pool_get_info,                                             \
         (HsaPool pool, unsigned attribute, void* value))                                     \
    CALL(allocate, hsa_amd_memory_pool_allocate,                                              \
         (HsaPool pool, std::size_t size, std::uint32_t flags, void** pointer))               \
    CALL(free, hsa_amd_memory_pool_free, (void* pointer))                                     \
    CALL(allow_access, hsa_amd_agents_allow_access,                                           \
         (std::uint32_t count, const HsaAgent* agents, const std::uint32_t* flags,            \
          const void* pointer))                                                               \
    CALL(reader_create, hsa_code_object_reader_create_from_memory,                            \
         (const void* code_object, std::size_t size, HsaReader* reader))                      \
    CALL(reader_destroy, hsa_code_object_reader_destroy, (HsaReader reader))                  \
    CALL(executable_create, hsa_executable_create_alt,                                        \
         (unsigned profile, unsigned rounding, const char* options,                           \
          HsaExecutable* executable))                                                         \
    CALL(executable_load, hsa_executable_load_agent_code_object,                              \
         (HsaExecutable executable, HsaAgent agent, HsaReader reader, const char* options,    \
          void* loaded))                                                                      \
    CALL(executable_freeze, hsa_executable_freeze,                                            \
         (HsaExecutable executable, const char* options))                                     \
    CALL(executable_destroy, hsa_executable_destroy, (HsaExecutable executable))              \
    CALL(executable_symbol, hsa_executable_get_symbol_by_name,                                \
         (HsaExecutable executable, const char* name, const HsaAgent* agent,                  \
          HsaSymbol* symbol))                                                                 \
    CALL(symbol_info, hsa_executable_symbol_get_info,                                         \
         (HsaSymbol symbol, unsigned attribute, void* value))                                 \
    CALL(queue_create, hsa_queue_create,                                                      \
         (HsaAgent agent, std::uint32_t size, std::uint32_t type, HsaQueueError error,        \
          void* data, std::uint32_t private_bytes, std::uint32_t group_bytes,                 \
          HsaQueue** queue))                                                                  \
    CALL(queue_destroy, hsa_queue_destroy, (HsaQueue * queue))                                \
    CALL(signal_create, hsa_signal_create,                                                    \
         (std::int64_t value, std::uint32_t count, const HsaAgent* consumers,                 \
          HsaSignal* signal))                                                                 \
    CALL(signal_destroy, hsa_signal_destroy, (HsaSignal signal))                              \
    CALL(profile_queue, hsa_amd_profiling_set_profiler_enabled, (HsaQueue * queue, int on))   \
    CALL(dispatch_time, hsa_amd_profiling_get_dispatch_time,                                  \
         (HsaAgent agent, HsaSignal signal, HsaDispatchTime * time))

struct HsaRuntime {
#define GANTRY_HSA_MEMBER(member, symbol, parameters) HsaStatus(*member) parameters = nullptr;
    GANTRY_HSA_CALLS(GANTRY_HSA_MEMBER)
#undef GANTRY_HSA_MEMBER
    std::int64_t (*signal_load)(HsaSignal signal) = nullptr;
    void (*signal_store)(HsaSignal signal, std::int64_t value) = nullptr;
    std::uint64_t (*add_write_index)(const HsaQueue* queue, std::uint64_t count) = nullptr;
    HsaStatus (*status_string)(HsaStatus status, const char** text) = nullptr;         // may lack
    HsaStatus (*register_event_handler)(HsaEventHandler handler, void* data) = nullptr;  // may lack

    // False where the library lacks one that it must have; it has reported which.
    [[nodiscard]] bool get_calls(VendorLibrary& library);
    // Null where the library does not know it.
    [[nodiscard]] const char* name_of(HsaStatus status) const;
};

}  // namespace gantry::probe::inside
