/*
 * kernels.c on the host: a work-item is a context of its own, a barrier waits for
 * the others of the group. Barriers have numbers in the order of the text, so
 * that a test can leave one out and see that it was needed.
 */
#pragma once

#include "simulation.h"

#define GLOBAL
#define SHARED static /* one group runs at a time */
#define INLINE static inline __attribute__((always_inline))
#define KERNEL static void

INLINE u32 item(void) { return simulated_item; }
INLINE u32 group_x(void) { return simulated_group_x; }
INLINE u32 group_y(void) { return simulated_group_y; }
#define barrier() simulated_barrier(__COUNTER__)
INLINE u64 reference_clock(void) { return simulated_clock(); }
INLINE u64 cycle_clock(void) { return simulated_clock(); }
INLINE u32 unit_number(void) { return simulated_group_x % 16; }
