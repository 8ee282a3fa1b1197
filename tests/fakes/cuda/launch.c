/* FAKE: modules, kernels, events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda.h"

/* CUjit_option in cuda.h */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 };

FAKE_EXPORT CUresult cuModuleLoadDataEx(struct ptx_module **module, const void *image,
                                        unsigned count, const int *options, void *const *values) {
    struct context *context;
    char unused[1], *log = unused;
    size_t log_size = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == JIT_ERROR_LOG) log = values[i];
        if (options[i] == JIT_ERROR_LOG_BYTES) log_size = (size_t)(uintptr_t)values[i];
    }
    if (log_size > 0) log[0] = '\0';
    const CUresult code = enter("cuModuleLoadDataEx", &context);
    if (code != SUCCESS) return code;
    if (!strstr(image, ".version")) return INVALID_IMAGE;
    *module = ptx_load(image, log, log_size);
    return *module ? SUCCESS : INVALID_PTX;
}

FAKE_EXPORT CUresult cuModuleGetFunction(const struct ptx_kernel **function,
                                         struct ptx_module *module, const char *name) {
    struct context *context;
    const CUresult code = enter("cuModuleGetFunction", &context);
    if (code != SUCCESS) return code;
    *function = module ? ptx_find(module, name) : NULL;
    return !module ? INVALID_HANDLE : *function ? SUCCESS : NOT_FOUND;
}

FAKE_EXPORT CUresult cuModuleUnload(struct ptx_module *module) {
    struct context *context = NULL;
    const CUresult code = enter("cuModuleUnload", &context);
    if (context) ptx_unload(module); /* also where a kernel has failed */
    return code;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void burn(long milliseconds) {
    const uint64_t end = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)milliseconds * 1000000u;
    while (milliseconds > 0 && nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static CUresult code_of(enum ptx_outcome outcome) {
    switch (outcome) {
    case PTX_DONE: return SUCCESS;
    case PTX_ILLEGAL_ADDRESS: return ILLEGAL_ADDRESS;
    case PTX_MISALIGNED: return MISALIGNED_ADDRESS;
    case PTX_ENDLESS: return LAUNCH_TIMEOUT;
    case PTX_BAD_LAUNCH: return INVALID_VALUE;
    default: return LAUNCH_FAILED;
    }
}

static void run(struct context *context, const struct ptx_kernel *kernel, unsigned grid_x,
                unsigned grid_y, unsigned block, void **arguments) {
    /* A group of the largest product there is takes under three million. */
    const struct ptx_launch launch = {grid_x,          grid_y,
                                      block,           arguments,
                                      context->memory, context->allocations,
                                      16u << 20};
    char log[256] = "";
    context->failed = code_of(ptx_run(kernel, &launch, log, sizeof log));
    if (context->failed != SUCCESS) fprintf(stderr, "fake libcuda.so.1: %s\n", log);
}

static void run_product(struct context *context, const struct ptx_kernel *kernel, unsigned grid_x,
                        unsigned grid_y, unsigned block, void **arguments) {
    float *product;
    unsigned size;
    memcpy(&product, arguments[2], sizeof product);
    memcpy(&size, arguments[3], sizeof size);
    burn(fake_number("burn", 0));
    if (!fake_skips_product()) {
        run(context, kernel, grid_x, grid_y, block, arguments);
        if (context->failed == SUCCESS) fake_spoil_product(product, size);
    }
    const double flop = 2.0 * size * size * size;
    context->clock_ns += (uint64_t)(flop / (double)fake_number("gflops", 2000));
    context->clock_ns += (uint64_t)fake_number("slow", 0) * 1000000u;
}

FAKE_EXPORT CUresult cuLaunchKernel(const struct ptx_kernel *kernel, unsigned grid_x,
                                    unsigned grid_y, unsigned grid_z, unsigned block_x,
                                    unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                    void *stream, void **arguments, void **extra) {
    struct context *context;
    const CUresult code = enter("cuLaunchKernel", &context);
    if (code != SUCCESS) return code;
    if (!kernel) return INVALID_HANDLE;
    if (grid_z != 1 || block_y != 1 || block_z != 1 || shared_bytes != 0 || stream || extra ||
        !arguments)
        return INVALID_VALUE; /* nothing that the fake can do */
    if (strcmp(ptx_name(kernel), "gantry_sgemm") == 0) {
        run_product(context, kernel, grid_x, grid_y, block_x, arguments);
        return SUCCESS;
    }
    context->clock_ns += 5000; /* nothing takes a GPU less than some microseconds */
    if (strcmp(ptx_name(kernel), "gantry_evidence") == 0) {
        /* Groups that run one after another need not keep a unit busy. */
        unsigned spin = 16;
        void *shorter[] = {arguments[0], &spin};
        run(context, kernel, grid_x, grid_y, block_x, shorter);
    } else {
        run(context, kernel, grid_x, grid_y, block_x, arguments);
    }
    return SUCCESS;
}

/* The device's clock when it was recorded; -1: never. */
struct event {
    int64_t at_ns;
};

FAKE_EXPORT CUresult cuEventCreate(struct event **event, unsigned flags) {
    struct context *context;
    const CUresult code = enter("cuEventCreate", &context);
    (void)flags;
    if (code != SUCCESS) return code;
    *event = malloc(sizeof **event);
    if (!*event) return OUT_OF_MEMORY;
    (*event)->at_ns = -1;
    return SUCCESS;
}

FAKE_EXPORT CUresult cuEventRecord(struct event *event, void *stream) {
    struct context *context;
    const CUresult code = enter("cuEventRecord", &context);
    if (code != SUCCESS) return code;
    if (!event || stream) return INVALID_HANDLE;
    event->at_ns = (int64_t)context->clock_ns;
    return SUCCESS;
}

FAKE_EXPORT CUresult cuEventQuery(struct event *event) {
    struct context *context;
    const CUresult code = enter("cuEventQuery", &context);
    return code != SUCCESS ? code : event ? SUCCESS : INVALID_HANDLE;
}

FAKE_EXPORT CUresult cuEventSynchronize(struct event *event) {
    struct context *context;
    const CUresult code = enter("cuEventSynchronize", &context);
    return code != SUCCESS ? code : event ? SUCCESS : INVALID_HANDLE;
}

FAKE_EXPORT CUresult cuEventElapsedTime(float *milliseconds, struct event *from,
                                        struct event *to) {
    struct context *context;
    const CUresult code = enter("cuEventElapsedTime", &context);
    if (code != SUCCESS) return code;
    if (!from || !to || from->at_ns < 0 || to->at_ns < 0) return INVALID_HANDLE;
    *milliseconds = (float)((double)(to->at_ns - from->at_ns) / 1e6);
    return SUCCESS;
}

FAKE_EXPORT CUresult cuEventDestroy_v2(struct event *event) {
    struct context *context = NULL;
    const CUresult code = enter("cuEventDestroy", &context);
    if (context) free(event);
    return code;
}
