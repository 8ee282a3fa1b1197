/*
 * The kernels of the check, one source for both vendors.
 *
 *   fill      makes a matrix of small integers out of a seed
 *   poison    makes a matrix of NaNs, so that a product that never ran shows
 *   sgemm     C = A B
 *   rowdot    t = C r mod 2^64 and what in C is no integer (Freivalds' check)
 *   evidence  which units ran, by which clocks
 *
 * One-dimensional groups of BLOCK work-items. The host has its own copy of the
 * three hashes in gemm_data.hpp.
 */
#include "probe/kernels/port.h"

enum { BLOCK = 256, TILE = 128, SLAB = 8, TILE4 = TILE / 4 };

INLINE u32 mix32(u32 x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

/* -64 to 63: with at most 4096 products in a sum every partial sum is an
 * integer of at most 2^24, which fp32 holds exactly in any order of adding. */
INLINE float element(u32 index, u32 seed) {
    return (float)((i32)(mix32(index ^ seed) >> 25) - 64);
}

INLINE u64 mix64(u64 x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

KERNEL gantry_fill(GLOBAL float *matrix, u32 count, u32 seed) {
    const u32 i = group_x() * BLOCK + item();
    if (i < count) matrix[i] = element(i, seed);
}

KERNEL gantry_poison(GLOBAL float *matrix, u32 count) {
    const u32 i = group_x() * BLOCK + item();
    if (i < count) ((GLOBAL u32 *)matrix)[i] = 0x7fc0dead;
}

/*
 * A is k-major (column by column), B and C are row-major; n is a multiple of
 * TILE. A group makes a TILE x TILE part of C, a work-item 8 x 8 of it as four
 * blocks of 4 x 4. With A k-major both inputs are read and kept as they lie in
 * memory, in float4, without a conflict between banks. While a slab of k is
 * multiplied out of one half of the group's memory, the next one is on its way
 * through registers to the other half: one barrier a slab.
 */
KERNEL gantry_sgemm(const GLOBAL float *restrict a, const GLOBAL float *restrict b,
                    GLOBAL float *restrict c, u32 n) {
    SHARED f4 slab_a[2][SLAB][TILE4];
    SHARED f4 slab_b[2][SLAB][TILE4];
    const u32 row = item() / 16, column = item() % 16;
    const u32 first_row = group_y() * TILE, first_column = group_x() * TILE;
    const u32 load_k = item() / TILE4, load_at = item() % TILE4;
    const GLOBAL f4 *next_a = (const GLOBAL f4 *)(a + (u64)load_k * n + first_row) + load_at;
    const GLOBAL f4 *next_b = (const GLOBAL f4 *)(b + (u64)load_k * n + first_column) + load_at;
    const u64 slab_step = (u64)SLAB * n / 4;

    f4 sum[8][2];
    for (int i = 0; i < 8; ++i) sum[i][0] = sum[i][1] = (f4){0, 0, 0, 0};

    slab_a[0][load_k][load_at] = *next_a;
    slab_b[0][load_k][load_at] = *next_b;
    barrier();

    u32 half = 0;
#pragma unroll 1
    for (u32 k = SLAB;; k += SLAB) {
        const int more = k < n;
        f4 coming_a, coming_b;
        if (more) {
            next_a += slab_step;
            next_b += slab_step;
            coming_a = *next_a;
            coming_b = *next_b;
        }
#pragma unroll
        for (int kk = 0; kk < SLAB; ++kk) {
            const f4 a0 = slab_a[half][kk][row], a1 = slab_a[half][kk][16 + row];
            const f4 b0 = slab_b[half][kk][column], b1 = slab_b[half][kk][16 + column];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sum[i][0] += b0 * a0[i];
                sum[i][1] += b1 * a0[i];
                sum[4 + i][0] += b0 * a1[i];
                sum[4 + i][1] += b1 * a1[i];
            }
        }
        if (!more) break;
        half ^= 1;
        slab_a[half][load_k][load_at] = coming_a;
        slab_b[half][load_k][load_at] = coming_b;
        barrier();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const u32 to = first_row + (i < 4 ? 0 : 64) + row * 4 + i % 4;
        GLOBAL f4 *out = (GLOBAL f4 *)(c + (u64)to * n + first_column);
        out[column] = sum[i][0];
        out[16 + column] = sum[i][1];
    }
}

struct row_sum {
    u64 dot, bad;
};

/* One group a row. What is no integer of at most 2^24 (NaN, infinity, a
 * fraction) is counted instead of summed. */
KERNEL gantry_rowdot(const GLOBAL float *restrict c, GLOBAL struct row_sum *restrict out, u64 seed,
                     u32 n) {
    SHARED u64 dots[BLOCK];
    SHARED u32 bads[BLOCK];
    const u32 me = item(), row = group_x();
    u64 dot = 0;
    u32 bad = 0;
    for (u32 j = me; j < n; j += BLOCK) {
        const float value = c[(u64)row * n + j];
        if (!(value >= -16777216.0f && value <= 16777216.0f)) {
            ++bad;
            continue;
        }
        const i32 integer = (i32)value;
        if ((float)integer != value) ++bad;
        dot += (u64)(i64)integer * mix64(seed + j);
    }
    dots[me] = dot;
    bads[me] = bad;
    barrier();
    for (u32 step = BLOCK / 2; step > 0; step /= 2) {
        if (me < step) {
            dots[me] += dots[me + step];
            bads[me] += bads[me + step];
        }
        barrier();
    }
    if (me == 0) {
        out[row].dot = dots[0];
        out[row].bad = bads[0];
    }
}

struct evidence {
    u64 t0, t1, c0, c1;
    u32 unit, group;
};

/* One record a group. `spin` keeps a unit busy for so long that the others get
 * groups too; its outcome goes into the record, so that it is not left out. */
KERNEL gantry_evidence(GLOBAL struct evidence *out, u32 spin) {
    const u64 t0 = reference_clock(), c0 = cycle_clock();
    u32 x = item() + group_x();
    for (u32 i = 0; i < spin; ++i) x = mix32(x + i);
    const u64 c1 = cycle_clock(), t1 = reference_clock();
    if (item() != 0) return;
    GLOBAL struct evidence *mine = out + group_x();
    mine->t0 = t0;
    mine->t1 = t1;
    mine->c0 = c0;
    mine->c1 = c1;
    mine->unit = unit_number();
    mine->group = group_x() | (x == 0xdeadbeefU ? 0x80000000U : 0);
}
