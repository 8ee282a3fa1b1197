/*
 * An interpreter for the part of PTX that clang makes of the kernels of the
 * check. The fake driver library runs with it the very text it is given; the
 * tests of the kernels run with it the very text that a build embeds.
 *
 * It is stricter than a GPU. What it does not know is an error, and so are: an
 * access outside of the memory it was told of, not aligned, or of shared memory
 * that nobody has written; two work-items of a group that touch the same word
 * of shared memory, one of them writing, with no barrier between; a barrier
 * that not every work-item of the group reaches.
 *
 * C without any C++ library and without glibc symbols above 2.17: images of any
 * age load it as part of the fake. Several threads may run kernels at once.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ptx_module;
struct ptx_kernel;

/* NULL where the text is not understood; `log` then says at which line and why. */
struct ptx_module *ptx_load(const char *text, char *log, size_t log_size);
void ptx_unload(struct ptx_module *module);

/* NULL where there is no entry of this name. */
const struct ptx_kernel *ptx_find(const struct ptx_module *module, const char *name);
const char *ptx_name(const struct ptx_kernel *kernel);

struct ptx_range {
    uint64_t begin, end;
};

struct ptx_launch {
    unsigned grid_x, grid_y, block;  /* block: at most 256, a multiple of 32 */
    void *const *arguments;          /* one pointer a parameter, to its value */
    const struct ptx_range *memory;  /* what the kernel may touch */
    unsigned ranges;
    uint64_t most_steps;  /* instructions of a group of 32 that a whole group may take; 0: any */
};

enum ptx_outcome {
    PTX_DONE,
    PTX_ILLEGAL_ADDRESS,
    PTX_MISALIGNED,
    PTX_BAD_BARRIER,
    PTX_RACE,
    PTX_ENDLESS,
    PTX_BAD_LAUNCH
};

/* `log` says what was wrong, and where. */
enum ptx_outcome ptx_run(const struct ptx_kernel *kernel, const struct ptx_launch *launch,
                         char *log, size_t log_size);

/* The number of units that %smid pretends to: groups take turns. */
enum { PTX_UNITS = 16 };

#ifdef __cplusplus
}
#endif
