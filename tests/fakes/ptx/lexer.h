/* Words of PTX. */
#pragma once

#include <stddef.h>

/* A word: a name (with the dots, $ and % in it), a number, or one other character. */
struct ptx_word {
    const char *begin;
    size_t size;
    unsigned line;
};

struct ptx_lexer {
    const char *at;
    unsigned line;
};

/* The next word, without comments and white space; size 0 at the end. */
struct ptx_word ptx_next(struct ptx_lexer *lexer);

int ptx_is(struct ptx_word word, const char *text);
int ptx_begins(struct ptx_word word, const char *text);
int ptx_same(struct ptx_word a, struct ptx_word b);

/* A whole number, decimal or 0x, or 0f and the bits of a float. 0 where it is none. */
int ptx_number(struct ptx_word word, unsigned long long *value);
