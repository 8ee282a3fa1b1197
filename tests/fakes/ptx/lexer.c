#include "lexer.h"

#include <string.h>

/* Not <ctype.h>: its tables follow the locale of the program that loads us. */
static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int in_name(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '$' || c == '%';
}

struct ptx_word ptx_next(struct ptx_lexer *lexer) {
    const char *at = lexer->at;
    for (;;) {
        if (at[0] == '/' && at[1] == '/') {
            while (*at && *at != '\n') ++at;
        } else if (is_space(*at)) {
            lexer->line += *at++ == '\n';
        } else {
            break;
        }
    }
    struct ptx_word word = {at, 0, lexer->line};
    if (in_name(*at)) {
        while (in_name(*at)) ++at;
    } else if (*at) {
        ++at;
    }
    word.size = (size_t)(at - word.begin);
    lexer->at = at;
    return word;
}

int ptx_is(struct ptx_word word, const char *text) {
    return strlen(text) == word.size && memcmp(word.begin, text, word.size) == 0;
}

int ptx_begins(struct ptx_word word, const char *text) {
    return word.size >= strlen(text) && memcmp(word.begin, text, strlen(text)) == 0;
}

int ptx_same(struct ptx_word a, struct ptx_word b) {
    return a.size == b.size && memcmp(a.begin, b.begin, a.size) == 0;
}

int ptx_number(struct ptx_word word, unsigned long long *value) {
    const char *at = word.begin, *end = at + word.size;
    if (at == end || !is_digit(*at)) return 0;
    unsigned base = 10;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'f')) {
        base = 16;
        at += 2;
    }
    *value = 0;
    for (; at < end; ++at) {
        const char c = (char)(*at | 0x20);
        unsigned digit;
        if (is_digit(*at)) digit = (unsigned)(*at - '0');
        else if (c >= 'a' && c <= 'f') digit = (unsigned)(c - 'a') + 10;
        else return 0;
        if (digit >= base) return 0;
        *value = *value * base + digit;
    }
    return 1;
}
