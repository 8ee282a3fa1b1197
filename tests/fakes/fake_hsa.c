/*
 * FAKE libhsa-runtime64.so.1 for machines without a GPU: a test double that
 * stands in for AMD's HSA runtime and computes nothing. Told what to do by
 * orders.h. Like the real one it has a CPU agent first and may initialise
 * with no GPU at all.
 */
#include <stddef.h>
#include <stdint.h>

#include "orders.h"

typedef uint32_t hsa_status_t;
typedef struct {
    uint64_t handle;
} hsa_agent_t;

enum { kNotInitialised = 0x100B, kInvalidArgument = 0x1001 };
enum { kAgentInfoDevice = 17, kCpu = 0, kGpu = 1 };

static int initialised;

FAKE_EXPORT hsa_status_t hsa_init(void) {
    hsa_status_t code = (hsa_status_t)fake_enter("hsa_init");
    initialised += code == 0;
    return code;
}

FAKE_EXPORT hsa_status_t hsa_shut_down(void) {
    hsa_status_t code = (hsa_status_t)fake_enter("hsa_shut_down");
    if (code != 0) return code;
    return initialised-- > 0 ? 0 : kNotInitialised;
}

FAKE_EXPORT hsa_status_t hsa_iterate_agents(hsa_status_t (*visit)(hsa_agent_t, void *),
                                            void *data) {
    hsa_status_t code = (hsa_status_t)fake_enter("hsa_iterate_agents");
    if (code != 0) return code;
    if (!initialised) return kNotInitialised;
    unsigned gpus = fake_count("/dev/dri", "renderD");
    for (unsigned agent = 0; agent <= gpus && code == 0; ++agent)
        code = visit((hsa_agent_t){agent + 1}, data);
    return code;
}

FAKE_EXPORT hsa_status_t hsa_agent_get_info(hsa_agent_t agent, uint32_t attribute, void *value) {
    hsa_status_t code = (hsa_status_t)fake_enter("hsa_agent_get_info");
    if (code != 0) return code;
    if (attribute != kAgentInfoDevice) return kInvalidArgument;
    *(uint32_t *)value = agent.handle == 1 ? kCpu : kGpu;
    return 0;
}

FAKE_EXPORT hsa_status_t hsa_status_string(hsa_status_t status, const char **text) {
    *text = status == 0x1008 ? "HSA_STATUS_ERROR_OUT_OF_RESOURCES" : "HSA_STATUS_OF_THE_FAKE";
    return 0;
}
