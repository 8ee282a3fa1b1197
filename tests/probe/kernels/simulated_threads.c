/* Work-items as threads, for ThreadSanitizer: what orders two accesses is then a
 * barrier of the kernel or nothing. */
#include <pthread.h>
#include <stdlib.h>

#include "simulation.h"

static pthread_barrier_t in_group, between_groups;
static simulated_kernel running;
static void *const *running_arguments;
static unsigned groups_x, groups_y;

void simulated_barrier(int number) {
    if (number != simulated_left_out) pthread_barrier_wait(&in_group);
}

static void *run_item(void *number) {
    simulated_item = *(const unsigned *)number;
    for (unsigned y = 0; y < groups_y; ++y)
        for (unsigned x = 0; x < groups_x; ++x) {
            simulated_group_x = x;
            simulated_group_y = y;
            running(running_arguments);
            pthread_barrier_wait(&between_groups);
        }
    return NULL;
}

int simulate(simulated_kernel kernel, void *const *arguments, unsigned grid_x, unsigned grid_y) {
    static pthread_t threads[SIMULATED_BLOCK];
    static unsigned numbers[SIMULATED_BLOCK];
    running = kernel;
    running_arguments = arguments;
    groups_x = grid_x;
    groups_y = grid_y;
    pthread_barrier_init(&in_group, NULL, SIMULATED_BLOCK);
    pthread_barrier_init(&between_groups, NULL, SIMULATED_BLOCK);
    for (unsigned i = 0; i < SIMULATED_BLOCK; ++i) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, run_item, &numbers[i]) != 0) abort();
    }
    for (unsigned i = 0; i < SIMULATED_BLOCK; ++i) pthread_join(threads[i], NULL);
    return 0;
}
