/* Runs the kernels of kernels.c, compiled for the host, group by group. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*simulated_kernel)(void *const *arguments);

/* By the name that it has on a GPU; NULL: there is none. */
simulated_kernel simulated_find(const char *name);

/* 0, or 1 where some work-items of a group ended while others wait at a barrier. */
int simulate(simulated_kernel kernel, void *const *arguments, unsigned grid_x, unsigned grid_y);

/* The barrier that is left out, by its number in the text; -1: none. */
extern int simulated_left_out;
enum { SIMULATED_BARRIERS = 4, SIMULATED_BLOCK = 256 };

/* What the kernels see. */
#ifdef __cplusplus
}
#else
extern _Thread_local unsigned simulated_item;
extern _Thread_local unsigned simulated_group_x, simulated_group_y;
void simulated_barrier(int number);
unsigned long long simulated_clock(void);
#endif
