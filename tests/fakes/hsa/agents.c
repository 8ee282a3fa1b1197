/* FAKE: the runtime and its agents. */
#include <stdio.h>
#include <string.h>

#include "hsa.h"

/* hsa_agent_info_t and AMD's own */
enum {
    DEVICE = 17, COMPUTE_UNITS = 0xA002, BDF = 0xA006, PRODUCT_NAME = 0xA009, DOMAIN = 0xA00F,
    MEMORY_AVAILABLE = 0xA015
};

static int initialised;

hsa_status_t enter(const char *call) {
    const hsa_status_t code = (hsa_status_t)fake_enter(call);
    return code == SUCCESS && !initialised ? NOT_INITIALISED : code;
}

unsigned gpu_count(void) {
    const unsigned count = fake_count("/dev/dri", "renderD");
    return count < MOST_GPUS ? count : MOST_GPUS;
}

int is_gpu(hsa_agent_t agent) {
    return agent.handle >= FIRST_GPU && agent.handle < FIRST_GPU + gpu_count();
}

FAKE_EXPORT hsa_status_t hsa_init(void) {
    const hsa_status_t code = (hsa_status_t)fake_enter("hsa_init");
    initialised += code == SUCCESS;
    return code;
}

FAKE_EXPORT hsa_status_t hsa_shut_down(void) {
    const hsa_status_t code = enter("hsa_shut_down");
    initialised -= code == SUCCESS;
    return code;
}

FAKE_EXPORT hsa_status_t hsa_status_string(hsa_status_t status, const char **text) {
    *text = status == OUT_OF_RESOURCES ? "HSA_STATUS_ERROR_OUT_OF_RESOURCES"
                                       : "HSA_STATUS_OF_THE_FAKE";
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_system_get_info(unsigned attribute, void *value) {
    enum { TIMESTAMP_FREQUENCY = 3 };
    const hsa_status_t code = enter("hsa_system_get_info");
    if (code != SUCCESS) return code;
    if (attribute != TIMESTAMP_FREQUENCY) return INVALID_ARGUMENT;
    *(uint64_t *)value = 1000000000;
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_iterate_agents(hsa_status_t (*visit)(hsa_agent_t, void *),
                                            void *data) {
    hsa_status_t code = enter("hsa_iterate_agents");
    const unsigned gpus = gpu_count();
    for (unsigned agent = 0; agent <= gpus && code == SUCCESS; ++agent)
        code = visit((hsa_agent_t){CPU_AGENT + agent}, data);
    return code;
}

/* The entry of this number in a list that ;s divide, "" where there is none. */
static void entry_of(const char *order, const char *otherwise, unsigned number, char *entry,
                     size_t size) {
    size_t length;
    const char *text = fake_text(order, &length);
    if (!text) {
        text = otherwise;
        length = strlen(otherwise);
    }
    for (; number > 0; --number) {
        const char *next = memchr(text, ';', length);
        if (!next) length = 0;
        else {
            length -= (size_t)(next + 1 - text);
            text = next + 1;
        }
    }
    const char *end = memchr(text, ';', length);
    snprintf(entry, size, "%.*s", end ? (int)(end - text) : (int)length, text);
}

static unsigned hex(const char **text) {
    unsigned value = 0;
    for (;; ++*text) {
        const char c = **text;
        if (c >= '0' && c <= '9') value = value * 16 + (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f') value = value * 16 + (unsigned)(c - 'a') + 10;
        else break;
    }
    if (**text != '\0') ++*text;
    return value;
}

static void location_of(unsigned gpu, uint32_t *domain, uint32_t *bdf) {
    char address[32];
    entry_of("pci", "", gpu, address, sizeof address);
    *domain = 0;
    *bdf = (3 + gpu) << 8;
    if (address[0] == '\0') return;
    const char *text = address;
    *domain = hex(&text);
    const unsigned bus = hex(&text), device = hex(&text), function = hex(&text);
    *bdf = bus << 8 | device << 3 | function;
}

FAKE_EXPORT hsa_status_t hsa_agent_get_info(hsa_agent_t agent, unsigned attribute, void *value) {
    const hsa_status_t code = enter("hsa_agent_get_info");
    if (code != SUCCESS) return code;
    if (attribute == DEVICE) {
        *(uint32_t *)value = agent.handle != CPU_AGENT;
        return SUCCESS;
    }
    if (!is_gpu(agent)) return INVALID_AGENT;
    uint32_t domain, bdf;
    location_of((unsigned)(agent.handle - FIRST_GPU), &domain, &bdf);
    const long memory = fake_number("memory", 24576), free = fake_number("free", memory);
    switch (attribute) {
    case COMPUTE_UNITS: *(uint32_t *)value = (uint32_t)fake_number("units", 16); break;
    case DOMAIN: *(uint32_t *)value = domain; break;
    case BDF: *(uint32_t *)value = bdf; break;
    case PRODUCT_NAME: entry_of("name", "Fake Radeon", 0, value, 64); break;
    case MEMORY_AVAILABLE:
        if (free < 0) return INVALID_ARGUMENT;
        *(uint64_t *)value = (uint64_t)free << 20;
        break;
    default: return INVALID_ARGUMENT;
    }
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent,
                                                hsa_status_t (*visit)(hsa_isa_t, void *),
                                                void *data) {
    hsa_status_t code = enter("hsa_agent_iterate_isas");
    if (code == SUCCESS && !is_gpu(agent)) code = INVALID_AGENT;
    for (unsigned number = 0; code == SUCCESS; ++number) {
        char name[64];
        entry_of("gfx", "gfx1030", number, name, sizeof name);
        if (name[0] == '\0') break;
        code = visit((hsa_isa_t){number + 1}, data);
    }
    return code;
}

FAKE_EXPORT hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, unsigned attribute, void *value) {
    enum { NAME_LENGTH = 0, NAME = 1 };
    const hsa_status_t code = enter("hsa_isa_get_info_alt");
    if (code != SUCCESS) return code;
    char gfx[64], name[96];
    entry_of("gfx", "gfx1030", (unsigned)isa.handle - 1, gfx, sizeof gfx);
    const int length = snprintf(name, sizeof name, "amdgcn-amd-amdhsa--%s", gfx);
    if (attribute == NAME_LENGTH) *(uint32_t *)value = (uint32_t)length;
    else if (attribute == NAME) memcpy(value, name, (size_t)length);  /* without an end */
    else return INVALID_ARGUMENT;
    return SUCCESS;
}
