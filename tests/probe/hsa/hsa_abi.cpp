// Nothing runs here: that it compiles shows that our own declarations of HSA are
// those of the headers that AMD's runtime was compiled with.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>

#include "probe/inside/dynamic/hsa_runtime.hpp"
#include "same_abi.hpp"

namespace gantry::probe::inside {
namespace {

#define GANTRY_COMPARE(member, symbol, parameters) \
    static_assert(SameAbi<decltype(HsaRuntime::member), decltype(&::symbol)>::value, #symbol);
GANTRY_HSA_CALLS(GANTRY_COMPARE)
#undef GANTRY_COMPARE
static_assert(SameAbi<decltype(HsaRuntime::signal_load),
                      decltype(&::hsa_signal_load_scacquire)>::value);
static_assert(SameAbi<decltype(HsaRuntime::signal_store),
                      decltype(&::hsa_signal_store_screlease)>::value);
static_assert(SameAbi<decltype(HsaRuntime::add_write_index),
                      decltype(&::hsa_queue_add_write_index_relaxed)>::value);
static_assert(SameAbi<decltype(HsaRuntime::status_string), decltype(&::hsa_status_string)>::value);
static_assert(SameAbi<decltype(HsaRuntime::register_event_handler),
                      decltype(&::hsa_amd_register_system_event_handler)>::value);
static_assert(
    SameAbi<HsaQueueError, void (*)(hsa_status_t, hsa_queue_t*, void*)>::value);
static_assert(SameAbi<HsaEventHandler, hsa_amd_system_event_callback_t>::value);

#define GANTRY_FIELD(ours, field, theirs, their_field)                             \
    static_assert(offsetof(ours, field) == offsetof(theirs, their_field) &&        \
                  sizeof(ours::field) == sizeof(theirs::their_field), #their_field)
GANTRY_FIELD(HsaQueue, type, hsa_queue_t, type);
GANTRY_FIELD(HsaQueue, base_address, hsa_queue_t, base_address);
GANTRY_FIELD(HsaQueue, doorbell, hsa_queue_t, doorbell_signal);
GANTRY_FIELD(HsaQueue, size, hsa_queue_t, size);
using Packet = hsa_kernel_dispatch_packet_t;
static_assert(sizeof(HsaDispatchPacket) == sizeof(Packet));
GANTRY_FIELD(HsaDispatchPacket, header, Packet, header);
GANTRY_FIELD(HsaDispatchPacket, setup, Packet, setup);
GANTRY_FIELD(HsaDispatchPacket, group_x, Packet, workgroup_size_x);
GANTRY_FIELD(HsaDispatchPacket, group_y, Packet, workgroup_size_y);
GANTRY_FIELD(HsaDispatchPacket, group_z, Packet, workgroup_size_z);
GANTRY_FIELD(HsaDispatchPacket, grid_x, Packet, grid_size_x);
GANTRY_FIELD(HsaDispatchPacket, grid_y, Packet, grid_size_y);
GANTRY_FIELD(HsaDispatchPacket, grid_z, Packet, grid_size_z);
GANTRY_FIELD(HsaDispatchPacket, private_bytes, Packet, private_segment_size);
GANTRY_FIELD(HsaDispatchPacket, group_bytes, Packet, group_segment_size);
GANTRY_FIELD(HsaDispatchPacket, kernel_object, Packet, kernel_object);
GANTRY_FIELD(HsaDispatchPacket, arguments, Packet, kernarg_address);
GANTRY_FIELD(HsaDispatchPacket, completion, Packet, completion_signal);
GANTRY_FIELD(HsaDispatchTime, start, hsa_amd_profiling_dispatch_time_t, start);
GANTRY_FIELD(HsaDispatchTime, end, hsa_amd_profiling_dispatch_time_t, end);
GANTRY_FIELD(HsaEvent, type, hsa_amd_event_t, event_type);
GANTRY_FIELD(HsaEvent, agent, hsa_amd_event_t, memory_fault.agent);
#undef GANTRY_FIELD

static_assert(kHsaSuccess == HSA_STATUS_SUCCESS);
static_assert(kHsaException == HSA_STATUS_ERROR_EXCEPTION);
static_assert(kHsaMemoryFault == HSA_STATUS_ERROR_MEMORY_FAULT);
static_assert(kHsaTimestampFrequency == HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY);
static_assert(kHsaAgentDevice == HSA_AGENT_INFO_DEVICE);
static_assert(kHsaAgentComputeUnits == HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
static_assert(kHsaAgentBdf == HSA_AMD_AGENT_INFO_BDFID);
static_assert(kHsaAgentProductName == HSA_AMD_AGENT_INFO_PRODUCT_NAME);
static_assert(kHsaAgentDomain == HSA_AMD_AGENT_INFO_DOMAIN);
static_assert(kHsaDeviceCpu == HSA_DEVICE_TYPE_CPU && kHsaDeviceGpu == HSA_DEVICE_TYPE_GPU);
static_assert(kHsaIsaNameLength == HSA_ISA_INFO_NAME_LENGTH && kHsaIsaName == HSA_ISA_INFO_NAME);
static_assert(kHsaPoolSegment == HSA_AMD_MEMORY_POOL_INFO_SEGMENT);
static_assert(kHsaPoolFlags == HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS);
static_assert(kHsaPoolSize == HSA_AMD_MEMORY_POOL_INFO_SIZE);
static_assert(kHsaPoolMayAllocate == HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED);
static_assert(kHsaGlobalSegment == HSA_AMD_SEGMENT_GLOBAL);
static_assert(kHsaFineGrained == HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
static_assert(kHsaCoarseGrained == HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
static_assert(kHsaBaseProfile == HSA_PROFILE_BASE);
static_assert(kHsaDefaultRounding == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT);
static_assert(kHsaKernelGroupBytes == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
static_assert(kHsaKernelPrivateBytes == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
static_assert(kHsaKernelObject == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
static_assert(kHsaQueueOfOneProducer == HSA_QUEUE_TYPE_SINGLE);
static_assert(kHsaMemoryFaultEvent == HSA_AMD_GPU_MEMORY_FAULT_EVENT);

}  // namespace
}  // namespace gantry::probe::inside
