/* What is known of an entry while its text is read. */
#pragma once

#include "lexer.h"
#include "parts.h"

enum { MOST_BANKS = 8, MOST_ARRAYS = 8 };

/* .reg .b32 %r<17>; declares the registers of one prefix, %r0 to %r16. */
struct ptx_bank {
    struct ptx_word prefix;
    char kind; /* as in ptx_opcode.operands */
    u32 first, count;
};

struct ptx_array {
    struct ptx_word name;
    u32 at;
};

struct ptx_label {
    struct ptx_word name;
    u32 at;
};

struct ptx_body {
    struct ptx_lexer lexer;
    struct ptx_kernel *kernel;
    struct ptx_bank banks[MOST_BANKS];
    struct ptx_array arrays[MOST_ARRAYS];
    struct ptx_word parameters[MOST_PARAMETERS];
    u32 bank_count, array_count;
    struct ptx_label *labels, *jumps; /* a jump's `at` is its instruction */
    u32 label_count, jump_count, room, constant_room32, constant_room64;
    char *log;
    size_t log_size;
    int failed;
};

/* Notes the first thing that is wrong. Always 0. */
int ptx_wrong(struct ptx_body *body, struct ptx_word at, const char *what);

/* The word must be `text`. */
int ptx_expect(struct ptx_body *body, const char *text);

/* One more element for an array of `count` elements. Ends the process where there is no memory. */
void *ptx_grown(void *array, u32 count, size_t size);

/* One statement of a body that begins with `first`: an instruction, up to its ';'. */
int ptx_read_instruction(struct ptx_body *body, struct ptx_word first);
