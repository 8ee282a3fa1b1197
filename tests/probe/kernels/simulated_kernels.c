/* The kernels themselves, and a way to call them as a driver does. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* gcc does not know clang's */
#define GANTRY_SIMULATED_PORT "simulated_port.h"
#include "probe/kernels/kernels.c"

#include <string.h>
#include <time.h>

_Static_assert(__COUNTER__ == SIMULATED_BARRIERS, "kernels.c has another number of barriers");

int simulated_left_out = -1;
_Thread_local unsigned simulated_item;
_Thread_local unsigned simulated_group_x, simulated_group_y;

unsigned long long simulated_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

#define ARGUMENT(type, i) (*(type const *)arguments[i])

static void fill(void *const *arguments) {
    gantry_fill(ARGUMENT(float *, 0), ARGUMENT(u32, 1), ARGUMENT(u32, 2));
}
static void poison(void *const *arguments) {
    gantry_poison(ARGUMENT(float *, 0), ARGUMENT(u32, 1));
}
static void sgemm(void *const *arguments) {
    gantry_sgemm(ARGUMENT(float *, 0), ARGUMENT(float *, 1), ARGUMENT(float *, 2),
                 ARGUMENT(u32, 3));
}
static void rowdot(void *const *arguments) {
    gantry_rowdot(ARGUMENT(float *, 0), ARGUMENT(struct row_sum *, 1), ARGUMENT(u64, 2),
                  ARGUMENT(u32, 3));
}
static void evidence(void *const *arguments) {
    gantry_evidence(ARGUMENT(struct evidence *, 0), ARGUMENT(u32, 1));
}

simulated_kernel simulated_find(const char *name) {
    static const struct {
        const char *name;
        simulated_kernel kernel;
    } kKernels[] = {{"gantry_fill", fill},
                    {"gantry_poison", poison},
                    {"gantry_sgemm", sgemm},
                    {"gantry_rowdot", rowdot},
                    {"gantry_evidence", evidence}};
    for (unsigned i = 0; i < sizeof kKernels / sizeof kKernels[0]; ++i)
        if (strcmp(name, kKernels[i].name) == 0) return kKernels[i].kernel;
    return NULL;
}
