/* A group of work-items that runs: its warps of 32, its memory, what went wrong. */
#pragma once

#include "parts.h"

/* 32 work-items with one program counter each. Those that stand at the lowest
 * one go on together, so that ways that parted meet again. */
struct ptx_warp {
    u32 pc[LANES];
    u32 live, waiting; /* one bit a work-item; waiting: at a barrier */
    u32 first;         /* number of its first work-item in the group */
    u32 *registers32;  /* LANES values a register */
    u64 *registers64;
    u32 *predicates; /* one bit a work-item */
};

struct ptx_machine {
    const struct ptx_kernel *kernel;
    const struct ptx_launch *launch;
    u32 group_x, group_y, warps;
    struct ptx_warp warp[MOST_WARPS];
    unsigned char *shared, *parameters;
    /* A word each: who wrote it and who read it last, and between which barriers
     * (0: nobody yet in this group). The work-item is in the low SEEN_BITS. */
    u32 *written, *read;
    u32 epoch;
    u64 steps;
    struct ptx_range last_range;
    enum ptx_outcome outcome;
    char *log;
    size_t log_size;
};

enum { SEEN_BITS = 9, SEVERAL = (1 << SEEN_BITS) - 1 };

/* Goes on until each of its work-items waits or has ended, or something is wrong. */
void ptx_run_warp(struct ptx_machine *machine, struct ptx_warp *warp);

/* Notes what is wrong. Always 0. */
int ptx_fault(struct ptx_machine *machine, enum ptx_outcome outcome,
              const struct ptx_instruction *at, u32 item, const char *what);

/* Where the bytes are that work-item `item` accesses; NULL after a fault. */
unsigned char *ptx_place(struct ptx_machine *machine, const struct ptx_instruction *at, u32 item,
                         u64 address, int writes);

/* All lanes at once: to = a * b + c with one rounding. */
void ptx_fma_lanes(u32 *to, const u32 *a, const u32 *b, const u32 *c);
