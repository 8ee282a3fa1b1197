/* FAKE. The kernels are those of tests/probe/kernels, which run one group at a time. */
#include "simulated_launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../probe/kernels/simulation.h"
#include "orders.h"

enum { MOST_ARGUMENTS = 4 };

static const struct {
    const char *kernel;
    unsigned char offsets[MOST_ARGUMENTS];
} kLayouts[] = {{"gantry_fill", {0, 8, 12}},
                {"gantry_poison", {0, 8}},
                {"gantry_sgemm", {0, 8, 16, 24}},
                {"gantry_rowdot", {0, 8, 16, 24}},
                {"gantry_evidence", {0, 8}}};

static void run(const char *name, void *const *arguments, unsigned groups_x, unsigned groups_y) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const int stuck = simulate(simulated_find(name), arguments, groups_x, groups_y);
    pthread_mutex_unlock(&lock);
    if (!stuck) return;
    fprintf(stderr, "%s: a barrier that not every work-item reaches\n", name);
    abort();
}

/* The simulation numbers its units. An AMD GPU has such a number in some bits of a
 * register (bits 13:10 are of the unit in every generation) and the wave's in others. */
static void place_units(unsigned char *records, unsigned count) {
    enum { RECORD_BYTES = 40, UNIT_OFFSET = 32 };
    for (unsigned i = 0; i < count; ++i) {
        unsigned unit;
        unsigned char *at = records + i * RECORD_BYTES + UNIT_OFFSET;
        memcpy(&unit, at, sizeof unit);
        unit = (unit & 15) << 10 | (i / 16 & 15);
        memcpy(at, &unit, sizeof unit);
    }
}

int simulated_launch(const char *kernel, const char *arguments, unsigned groups_x,
                     unsigned groups_y) {
    unsigned layout = 0;
    while (strcmp(kLayouts[layout].kernel, kernel) != 0)
        if (++layout == sizeof kLayouts / sizeof kLayouts[0]) return 0;
    void *pointers[MOST_ARGUMENTS];
    for (unsigned i = 0; i < MOST_ARGUMENTS; ++i)
        pointers[i] = (void *)(arguments + kLayouts[layout].offsets[i]);

    unsigned short_spin = 16; /* groups that run one after another need not keep a unit busy */
    if (strcmp(kernel, "gantry_evidence") == 0) pointers[1] = &short_spin;
    const int is_product = strcmp(kernel, "gantry_sgemm") == 0;
    if (is_product && fake_skips_product()) return 1;
    run(kernel, pointers, groups_x, groups_y);
    if (is_product) fake_spoil_product(*(float **)pointers[2], *(unsigned *)pointers[3]);
    if (strcmp(kernel, "gantry_evidence") == 0) place_units(*(void **)pointers[0], groups_x);
    return 1;
}
