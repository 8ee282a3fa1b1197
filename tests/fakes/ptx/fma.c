/* The one instruction that counts: 512 of the 620 of a step of the product. */
#include <math.h>
#include <string.h>

#include "machine.h"

/* `fmaf` of the C library is right everywhere, and an instruction where the
 * processor has it: that makes the difference between tests of seconds and of
 * minutes. */
static void with_library(float *to, const float *a, const float *b, const float *c) {
    for (int lane = 0; lane < LANES; ++lane) to[lane] = fmaf(a[lane], b[lane], c[lane]);
}

__attribute__((target("avx2,fma"))) static void with_instruction(float *to, const float *a,
                                                                 const float *b, const float *c) {
    float made[LANES];
    for (int lane = 0; lane < LANES; ++lane)
        made[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    memcpy(to, made, sizeof made);
}

void ptx_fma_lanes(u32 *to, const u32 *a, const u32 *b, const u32 *c) {
    float made[LANES], values[3][LANES];
    memcpy(values[0], a, sizeof values[0]);
    memcpy(values[1], b, sizeof values[1]);
    memcpy(values[2], c, sizeof values[2]);
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        with_instruction(made, values[0], values[1], values[2]);
    else
        with_library(made, values[0], values[1], values[2]);
    memcpy(to, made, sizeof made);
}
