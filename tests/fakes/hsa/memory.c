/* FAKE: each agent has one pool, all in this process's memory. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

#include "hsa.h"

enum { SEGMENT = 0, FLAGS = 1, SIZE = 2, MAY_ALLOCATE = 5 }; /* hsa_amd_memory_pool_info_t */
enum { KERNARG = 1, FINE_GRAINED = 2, COARSE_GRAINED = 4 };

static uint64_t taken; /* of all GPUs */

static uint64_t gpu_bytes(void) { return (uint64_t)fake_number("memory", 24576) << 20; }

FAKE_EXPORT hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*visit)(hsa_pool_t, void *), void *data) {
    const hsa_status_t code = enter("hsa_amd_agent_iterate_memory_pools");
    return code != SUCCESS ? code : visit((hsa_pool_t){agent.handle}, data);
}

FAKE_EXPORT hsa_status_t hsa_amd_memory_pool_get_info(hsa_pool_t pool, unsigned attribute,
                                                      void *value) {
    const hsa_status_t code = enter("hsa_amd_memory_pool_get_info");
    const int of_cpu = pool.handle == CPU_AGENT;
    if (code != SUCCESS) return code;
    switch (attribute) {
    case SEGMENT: *(uint32_t *)value = 0; break; /* global */
    case FLAGS: *(uint32_t *)value = of_cpu ? KERNARG | FINE_GRAINED : COARSE_GRAINED; break;
    case SIZE: *(size_t *)value = of_cpu ? (size_t)1 << 34 : gpu_bytes(); break;
    case MAY_ALLOCATE: *(_Bool *)value = 1; break;
    default: return INVALID_ARGUMENT;
    }
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_amd_memory_pool_allocate(hsa_pool_t pool, size_t size, uint32_t flags,
                                                      void **pointer) {
    const hsa_status_t code = enter("hsa_amd_memory_pool_allocate");
    if (code != SUCCESS) return code;
    if (flags != 0 || size == 0 || size % 4096 != 0) return INVALID_ARGUMENT;
    if (pool.handle != CPU_AGENT &&
        __atomic_add_fetch(&taken, size, __ATOMIC_ACQ_REL) > gpu_bytes() * gpu_count())
        return OUT_OF_RESOURCES;
    return posix_memalign(pointer, 4096, size) == 0 ? SUCCESS : OUT_OF_RESOURCES;
}

FAKE_EXPORT hsa_status_t hsa_amd_memory_pool_free(void *pointer) {
    const hsa_status_t code = enter("hsa_amd_memory_pool_free");
    if (code == SUCCESS) free(pointer);
    return code;
}

FAKE_EXPORT hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents,
                                                     const uint32_t *flags, const void *pointer) {
    const hsa_status_t code = enter("hsa_amd_agents_allow_access");
    if (code != SUCCESS) return code;
    return count > 0 && is_gpu(agents[0]) && !flags && pointer ? SUCCESS : INVALID_ARGUMENT;
}
