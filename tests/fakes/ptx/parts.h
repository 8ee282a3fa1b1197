/* What the parts of the interpreter share: opcodes and decoded instructions. */
#pragma once

#include "ptx.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

enum { LANES = 32, MOST_PARAMETERS = 8, MOST_WARPS = 8 };
/* Where shared arrays begin: not at 0, or a base that is left out would not show. */
enum { SHARED_BASE = 1024 };

enum ptx_op {
    OP_ADD32, OP_SUB32, OP_AND32, OP_OR32, OP_XOR32, OP_SHL32, OP_SHR32, OP_MUL32, OP_MAD32,
    OP_ADD64, OP_SUB64, OP_XOR64, OP_SHL64, OP_SHR64, OP_MUL64, OP_MAD64, OP_WIDE,
    OP_FMA, OP_ABS, OP_SELECT, OP_MOVE32, OP_MOVE64,
    OP_U64_OF_U32, OP_U32_OF_U64, OP_S64_OF_S32, OP_S32_OF_F32, OP_TRUNCATE, OP_F32_OF_S32,
    OP_SET_U32, OP_SET_S32, OP_SET_F32,
    OP_SPECIAL, OP_PARAMETER, OP_LOAD, OP_STORE, OP_BRANCH, OP_BARRIER, OP_RETURN
};

enum ptx_compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };

/* `operands`: one letter each, the result first. r: 32 bits, d: 64 bits, p: predicate. */
struct ptx_opcode {
    const char *text;
    unsigned char op, compare, unordered; /* unordered: true also where one is NaN */
    const char *operands;
};

extern const struct ptx_opcode ptx_opcodes[];
extern const unsigned ptx_opcode_count;

enum ptx_special { SPECIAL_TID, SPECIAL_NTID, SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_SMID,
                   SPECIAL_CLOCK };

struct ptx_instruction {
    unsigned char op, compare, unordered, shared, words, count, wide_base, wide_value, guarded,
        guard_negated;
    u32 guard, target, line;
    u32 result[4], source[4]; /* registers of the class that the opcode has; [0] is the base */
    u32 base;
    i64 offset;
};

/* Constants are registers too, behind those of the text. */
struct ptx_constant {
    u32 index;
    u64 value;
};

struct ptx_kernel {
    char *name;
    struct ptx_instruction *code;
    u32 length, registers32, registers64, predicates, shared_bytes;
    struct ptx_constant *constants32, *constants64;
    u32 constant_count32, constant_count64;
    u32 parameters, parameter_at[MOST_PARAMETERS], parameter_size[MOST_PARAMETERS];
    u32 parameter_bytes;
};

struct ptx_module {
    struct ptx_kernel *kernels;
    u32 count;
};
