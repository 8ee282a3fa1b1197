/* FAKE: primary contexts and their memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lock_contexts(void) { pthread_mutex_lock(&lock); }
void unlock_contexts(void) { pthread_mutex_unlock(&lock); }

/* Each thread's own. Of the initial block of thread memory: anything else needs
 * __tls_get_addr, and with it the loader as a library. */
static _Thread_local struct context *current __attribute__((tls_model("initial-exec")));

CUresult enter(const char *call, struct context **context) {
    const CUresult code = (CUresult)fake_enter(call);
    if (code != SUCCESS) return code;
    if (!is_initialised()) return NOT_INITIALIZED;
    if (!current || current->users == 0) return INVALID_CONTEXT;
    *context = current;
    return current->failed;
}

FAKE_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    const CUresult code = (CUresult)fake_enter("cuDevicePrimaryCtxSetFlags");
    (void)flags;
    return code != SUCCESS ? code : context_of(device) ? SUCCESS : INVALID_DEVICE;
}

FAKE_EXPORT CUresult cuDevicePrimaryCtxRetain(struct context **made, int device) {
    const CUresult code = (CUresult)fake_enter("cuDevicePrimaryCtxRetain");
    if (code != SUCCESS) return code;
    if (!is_initialised()) return NOT_INITIALIZED;
    struct context *context = context_of(device);
    if (!context) return INVALID_DEVICE;
    lock_contexts();
    ++context->users;
    unlock_contexts();
    *made = context;
    return SUCCESS;
}

static void *pointer_of(uint64_t address) {
    void *pointer;
    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

FAKE_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(int device) {
    const CUresult code = (CUresult)fake_enter("cuDevicePrimaryCtxRelease");
    if (code != SUCCESS) return code;
    struct context *context = context_of(device);
    if (!context) return INVALID_DEVICE;
    lock_contexts();
    const unsigned users = context->users;
    if (users == 1) {
        for (unsigned i = 0; i < context->allocations; ++i)
            free(pointer_of(context->memory[i].begin));
        memset(context, 0, sizeof *context);
    } else if (users > 1) {
        --context->users;
    }
    unlock_contexts();
    return users > 0 ? SUCCESS : INVALID_CONTEXT;
}

FAKE_EXPORT CUresult cuCtxSetCurrent(struct context *context) {
    const CUresult code = (CUresult)fake_enter("cuCtxSetCurrent");
    if (code != SUCCESS) return code;
    if (context && context->users == 0) return INVALID_CONTEXT;
    current = context;
    return SUCCESS;
}

FAKE_EXPORT CUresult cuCtxSynchronize(void) {
    struct context *context;
    return enter("cuCtxSynchronize", &context);
}

static uint64_t total_bytes(void) { return (uint64_t)fake_number("memory", 24576) << 20; }

uint64_t free_bytes(const struct context *context) {
    const uint64_t free_at_first = (uint64_t)fake_number("free", (long)(total_bytes() >> 20)) << 20;
    return free_at_first > context->bytes ? free_at_first - context->bytes : 0;
}

FAKE_EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
    struct context *context;
    const CUresult code = enter("cuMemGetInfo", &context);
    if (code != SUCCESS) return code;
    *available = free_bytes(context);
    *total = total_bytes();
    return SUCCESS;
}

FAKE_EXPORT CUresult cuMemAlloc_v2(unsigned long long *pointer, size_t size) {
    struct context *context;
    CUresult code = enter("cuMemAlloc", &context);
    if (code != SUCCESS) return code;
    if (size == 0) return INVALID_VALUE;
    lock_contexts();
    /* The real one aligns to 512 bytes at least; kernels may rely on 16. */
    void *memory = NULL;
    if (context->allocations < MOST_ALLOCATIONS && size <= free_bytes(context))
        memory = aligned_alloc(512, (size + 511) / 512 * 512);
    if (memory) {
        memset(memory, 0xa5, size); /* what was there before is nobody's business */
        const uint64_t begin = (uint64_t)(uintptr_t)memory;
        context->memory[context->allocations++] = (struct ptx_range){begin, begin + size};
        context->bytes += size;
        *pointer = begin;
    } else {
        code = OUT_OF_MEMORY;
    }
    unlock_contexts();
    return code;
}

static struct ptx_range *find_allocation(struct context *context, uint64_t begin) {
    for (unsigned i = 0; i < context->allocations; ++i)
        if (context->memory[i].begin == begin) return &context->memory[i];
    return NULL;
}

FAKE_EXPORT CUresult cuMemFree_v2(unsigned long long pointer) {
    struct context *context;
    const CUresult code = enter("cuMemFree", &context);
    if (code != SUCCESS) return code;
    lock_contexts();
    struct ptx_range *found = find_allocation(context, pointer);
    if (found) {
        free(pointer_of(found->begin));
        context->bytes -= found->end - found->begin;
        *found = context->memory[--context->allocations];
    }
    unlock_contexts();
    return found ? SUCCESS : INVALID_VALUE;
}

FAKE_EXPORT CUresult cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size) {
    struct context *context;
    const CUresult code = enter("cuMemcpyDtoH", &context);
    if (code != SUCCESS) return code;
    for (unsigned i = 0; i < context->allocations; ++i) {
        const struct ptx_range *range = &context->memory[i];
        if (from < range->begin || from >= range->end || size > range->end - from) continue;
        memcpy(to, pointer_of(from), size);
        return SUCCESS;
    }
    return INVALID_VALUE;
}
