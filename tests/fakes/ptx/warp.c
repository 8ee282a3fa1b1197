/* 32 work-items, instruction by instruction. */
#include <string.h>
#include <time.h>

#include "machine.h"

static float as_float(u32 bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static u32 as_bits(float value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float truncated(float value) {
    /* From 2^23 on every fp32 is whole. The sign stays, also that of a zero. */
    if (!(value > -8388608.0f && value < 8388608.0f)) return value;
    return __builtin_copysignf((float)(i32)value, value);
}

/* cvt.rzi.s32.f32: saturates, NaN becomes 0 (PTX ISA, "cvt"). */
static u32 s32_of(float value) {
    if (value != value) return 0;
    if (value >= 2147483648.0f) return 0x7fffffffu;
    if (value <= -2147483648.0f) return 0x80000000u;
    return (u32)(i32)value;
}

static u64 clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

static u64 special(const struct ptx_machine *machine, const struct ptx_warp *warp, u32 number,
                   u32 lane) {
    switch (number) {
    case SPECIAL_TID: return warp->first + lane;
    case SPECIAL_NTID: return machine->launch->block;
    case SPECIAL_CTAID_X: return machine->group_x;
    case SPECIAL_CTAID_Y: return machine->group_y;
    case SPECIAL_SMID: return machine->group_x % PTX_UNITS;
    default: return clock_now();
    }
}

static int compares(u32 compare, int less, int equal) {
    switch (compare) {
    case CMP_EQ: return equal;
    case CMP_NE: return !equal;
    case CMP_LT: return less;
    case CMP_LE: return less || equal;
    case CMP_GT: return !less && !equal;
    default: return !less;
    }
}

static int set_of(const struct ptx_instruction *at, u32 a, u32 b) {
    if (at->op == OP_SET_U32) return compares(at->compare, a < b, a == b);
    if (at->op == OP_SET_S32) return compares(at->compare, (i32)a < (i32)b, a == b);
    const float x = as_float(a), y = as_float(b);
    if (x != x || y != y) return at->unordered;
    return compares(at->compare, x < y, x == y);
}

static void access_memory(struct ptx_machine *machine, struct ptx_warp *warp,
                          const struct ptx_instruction *at, u32 mask) {
    for (u32 lane = 0; lane < LANES; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const u64 base = at->wide_base ? warp->registers64[(size_t)at->base * LANES + lane]
                                       : warp->registers32[(size_t)at->base * LANES + lane];
        unsigned char *place = ptx_place(machine, at, warp->first + lane, base + (u64)at->offset,
                                         at->op == OP_STORE);
        if (!place) return;
        const u32 *registers = at->op == OP_STORE ? at->source : at->result;
        const size_t bytes = at->words * 4u;
        for (u32 i = 0; i < at->count; ++i, place += bytes) {
            const size_t index = (size_t)registers[i] * LANES + lane;
            void *value = at->wide_value ? (void *)&warp->registers64[index]
                                         : (void *)&warp->registers32[index];
            if (at->op == OP_STORE) {
                memcpy(place, value, bytes);
            } else {
                if (at->wide_value) warp->registers64[index] = 0;
                memcpy(value, place, bytes);
            }
        }
    }
}

static void keep32(u32 *to, const u32 *made, u32 mask) {
    if (mask == ~0u) {
        memcpy(to, made, LANES * sizeof *to);
        return;
    }
    for (u32 lane = 0; lane < LANES; ++lane)
        if (mask >> lane & 1) to[lane] = made[lane];
}

static void keep64(u64 *to, const u64 *made, u32 mask) {
    if (mask == ~0u) {
        memcpy(to, made, LANES * sizeof *to);
        return;
    }
    for (u32 lane = 0; lane < LANES; ++lane)
        if (mask >> lane & 1) to[lane] = made[lane];
}

#define EACH(array, expression)                                          \
    for (u32 lane = 0; lane < LANES; ++lane) array[lane] = (expression); \
    break

static void calculate(struct ptx_machine *machine, struct ptx_warp *warp,
                      const struct ptx_instruction *at, u32 mask) {
    /* Rows of both files: which of them are meant, the operation knows. Indexes
     * of the other class may lie outside, so rows are not touched before. */
    u32 *const r = warp->registers32;
    u64 *const d = warp->registers64;
#define R(i) (r + (size_t)at->source[i] * LANES)
#define D(i) (d + (size_t)at->source[i] * LANES)
    u32 made[LANES];
    u64 wide[LANES];
    int is_wide = 0;
    switch (at->op) {
    case OP_FMA: ptx_fma_lanes(made, R(0), R(1), R(2)); break;
    case OP_MOVE32: memcpy(made, R(0), sizeof made); break;
    case OP_ADD32: EACH(made, R(0)[lane] + R(1)[lane]);
    case OP_SUB32: EACH(made, R(0)[lane] - R(1)[lane]);
    case OP_AND32: EACH(made, R(0)[lane] & R(1)[lane]);
    case OP_OR32: EACH(made, R(0)[lane] | R(1)[lane]);
    case OP_XOR32: EACH(made, R(0)[lane] ^ R(1)[lane]);
    case OP_SHL32: EACH(made, R(1)[lane] > 31 ? 0 : R(0)[lane] << R(1)[lane]);
    case OP_SHR32: EACH(made, R(1)[lane] > 31 ? 0 : R(0)[lane] >> R(1)[lane]);
    case OP_MUL32: EACH(made, R(0)[lane] * R(1)[lane]);
    case OP_MAD32: EACH(made, R(0)[lane] * R(1)[lane] + R(2)[lane]);
    case OP_ABS: EACH(made, R(0)[lane] & 0x7fffffffu);
    case OP_SELECT: EACH(made, warp->predicates[at->source[2]] >> lane & 1 ? R(0)[lane] : R(1)[lane]);
    case OP_U32_OF_U64: EACH(made, (u32)D(0)[lane]);
    case OP_S32_OF_F32: EACH(made, s32_of(as_float(R(0)[lane])));
    case OP_TRUNCATE: EACH(made, as_bits(truncated(as_float(R(0)[lane]))));
    case OP_F32_OF_S32: EACH(made, as_bits((float)(i32)R(0)[lane]));
    default: is_wide = 1;
    }
    if (!is_wide) {
        keep32(r + (size_t)at->result[0] * LANES, made, mask);
        return;
    }
    switch (at->op) {
    case OP_MOVE64: memcpy(wide, D(0), sizeof wide); break;
    case OP_ADD64: EACH(wide, D(0)[lane] + D(1)[lane]);
    case OP_SUB64: EACH(wide, D(0)[lane] - D(1)[lane]);
    case OP_XOR64: EACH(wide, D(0)[lane] ^ D(1)[lane]);
    case OP_SHL64: EACH(wide, R(1)[lane] > 63 ? 0 : D(0)[lane] << R(1)[lane]);
    case OP_SHR64: EACH(wide, R(1)[lane] > 63 ? 0 : D(0)[lane] >> R(1)[lane]);
    case OP_MUL64: EACH(wide, D(0)[lane] * D(1)[lane]);
    case OP_MAD64: EACH(wide, D(0)[lane] * D(1)[lane] + D(2)[lane]);
    case OP_WIDE: EACH(wide, (u64)R(0)[lane] * R(1)[lane]);
    case OP_U64_OF_U32: EACH(wide, R(0)[lane]);
    case OP_S64_OF_S32: EACH(wide, (u64)(i64)(i32)R(0)[lane]);
    default: {
        for (u32 lane = 0; lane < LANES; ++lane)
            wide[lane] = special(machine, warp, at->compare, lane);
        if (at->words == 2) break;
        for (u32 lane = 0; lane < LANES; ++lane) made[lane] = (u32)wide[lane];
        keep32(r + (size_t)at->result[0] * LANES, made, mask);
        return;
    }
    }
    keep64(d + (size_t)at->result[0] * LANES, wide, mask);
#undef R
#undef D
}

static void set_predicate(struct ptx_warp *warp, const struct ptx_instruction *at, u32 mask) {
    const u32 *a = warp->registers32 + (size_t)at->source[0] * LANES;
    const u32 *b = warp->registers32 + (size_t)at->source[1] * LANES;
    u32 bits = 0;
    for (u32 lane = 0; lane < LANES; ++lane) bits |= (u32)set_of(at, a[lane], b[lane]) << lane;
    u32 *to = &warp->predicates[at->result[0]];
    *to = (*to & ~mask) | (bits & mask);
}

static void load_parameter(const struct ptx_machine *machine, struct ptx_warp *warp,
                           const struct ptx_instruction *at, u32 mask) {
    u64 value = 0;
    memcpy(&value, machine->parameters + at->offset, at->words * 4u);
    for (u32 lane = 0; lane < LANES; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const size_t index = (size_t)at->result[0] * LANES + lane;
        if (at->wide_value) warp->registers64[index] = value;
        else warp->registers32[index] = (u32)value;
    }
}

/* The work-items that go on now: those at the lowest program counter. `until`:
 * where the next ones stand. */
static u32 choose(const struct ptx_warp *warp, u32 *pc, u32 *until) {
    const u32 able = warp->live & ~warp->waiting;
    u32 chosen = 0;
    *pc = *until = ~0u;
    for (u32 lane = 0; lane < LANES; ++lane) {
        if (!(able >> lane & 1)) continue;
        const u32 at = warp->pc[lane];
        if (at < *pc) {
            *until = *pc;
            *pc = at;
            chosen = 0;
        } else if (at > *pc && at < *until) {
            *until = at;
        }
        if (at == *pc) chosen |= 1u << lane;
    }
    return chosen;
}

static void put(struct ptx_warp *warp, u32 mask, u32 pc) {
    for (u32 lane = 0; lane < LANES; ++lane)
        if (mask >> lane & 1) warp->pc[lane] = pc;
}

void ptx_run_warp(struct ptx_machine *machine, struct ptx_warp *warp) {
    u32 pc, until;
    for (u32 active; (active = choose(warp, &pc, &until)) != 0;) {
        while (pc < until) {
            const struct ptx_instruction *at = &machine->kernel->code[pc++];
            if (++machine->steps == machine->launch->most_steps) {
                ptx_fault(machine, PTX_ENDLESS, at, warp->first, "does not come to an end");
                return;
            }
            u32 mask = active;
            if (at->guarded) {
                const u32 guard = warp->predicates[at->guard];
                mask &= at->guard_negated ? ~guard : guard;
                if (mask == 0) continue;
            }
            switch (at->op) {
            case OP_BRANCH:
                put(warp, active & ~mask, pc);
                pc = at->target;
                if (mask == active) continue;
                put(warp, mask, pc);
                goto parted;
            case OP_BARRIER:
                put(warp, active, pc);
                warp->waiting |= mask;
                goto parted;
            case OP_RETURN:
                put(warp, active, pc);
                warp->live &= ~mask;
                goto parted;
            case OP_LOAD:
            case OP_STORE:
                access_memory(machine, warp, at, mask);
                if (machine->outcome != PTX_DONE) return;
                break;
            case OP_PARAMETER: load_parameter(machine, warp, at, mask); break;
            case OP_SET_U32:
            case OP_SET_S32:
            case OP_SET_F32: set_predicate(warp, at, mask); break;
            default: calculate(machine, warp, at, mask);
            }
        }
        put(warp, active, pc);
    parted:;
    }
}
