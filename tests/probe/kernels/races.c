/*
 * A product of 128 x 128 and its rowdot with work-items as threads, under
 * ThreadSanitizer.
 *
 *   races            silent and 0 where the product is right
 *   races NUMBER     with that barrier left out: ThreadSanitizer ends it with 66
 */
#include <stdio.h>
#include <stdlib.h>

#include "simulation.h"

enum { N = 128, COUNT = N * N };

static float a[COUNT] __attribute__((aligned(16))), b[COUNT] __attribute__((aligned(16))),
    c[COUNT] __attribute__((aligned(16)));
static struct {
    unsigned long long dot, bad;
} rows[N];

static int wrong_elements(void) {
    int wrong = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int k = 0; k < N; ++k) sum += a[k * N + i] * b[k * N + j];
            wrong += sum != c[i * N + j];
        }
    return wrong;
}

int main(int count, char **words) {
    if (count > 1) simulated_left_out = atoi(words[1]);
    for (int i = 0; i < COUNT; ++i) {
        a[i] = (float)(i % 61 - 30);
        b[i] = (float)(i % 53 - 26);
    }
    float *to_a = a, *to_b = b, *to_c = c;
    void *to_rows = rows;
    unsigned n = N;
    unsigned long long seed = 1;
    simulate(simulated_find("gantry_sgemm"), (void *[]){&to_a, &to_b, &to_c, &n}, 1, 1);
    simulate(simulated_find("gantry_rowdot"), (void *[]){&to_c, &to_rows, &seed, &n}, N, 1);
    const int wrong = wrong_elements();
    if (wrong != 0) printf("%d wrong elements\n", wrong);
    return wrong != 0;
}
