/* A module and its entries: text to struct ptx_module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body.h"

int ptx_wrong(struct ptx_body *body, struct ptx_word at, const char *what) {
    if (!body->failed && body->log_size > 0)
        snprintf(body->log, body->log_size, "line %u, at '%.*s': %s", at.line, (int)at.size,
                 at.begin, what);
    body->failed = 1;
    return 0;
}

int ptx_expect(struct ptx_body *body, const char *text) {
    const struct ptx_word word = ptx_next(&body->lexer);
    if (ptx_is(word, text)) return 1;
    char what[64];
    snprintf(what, sizeof what, "expected '%s'", text);
    return ptx_wrong(body, word, what);
}

void *ptx_grown(void *array, u32 count, size_t size) {
    /* Doubled at each power of two. */
    if ((count & (count - 1)) != 0) return array;
    array = realloc(array, (count == 0 ? 1 : 2 * (size_t)count) * size);
    if (!array) abort();
    return array;
}

/* ( .param .u64 .ptr .global .align 1 NAME, .param .u32 NAME ) */
static int read_parameters(struct ptx_body *body) {
    struct ptx_kernel *kernel = body->kernel;
    if (!ptx_expect(body, "(")) return 0;
    for (;;) {
        struct ptx_word word = ptx_next(&body->lexer);
        if (ptx_is(word, ")")) return 1;
        if (ptx_is(word, ",")) continue;
        if (!ptx_is(word, ".param") || kernel->parameters == MOST_PARAMETERS)
            return ptx_wrong(body, word, "no parameter, or one too many");
        word = ptx_next(&body->lexer);
        const u32 size = ptx_is(word, ".u64") ? 8 : ptx_is(word, ".u32") ? 4 : 0;
        if (size == 0) return ptx_wrong(body, word, "a parameter of a type that is not known");
        do {
            word = ptx_next(&body->lexer);
            if (ptx_is(word, ".align")) {
                ptx_next(&body->lexer);
                word = ptx_next(&body->lexer);
            }
        } while (ptx_begins(word, "."));
        const u32 i = kernel->parameters++;
        body->parameters[i] = word;
        kernel->parameter_size[i] = size;
        kernel->parameter_at[i] = (kernel->parameter_bytes + size - 1) / size * size;
        kernel->parameter_bytes = kernel->parameter_at[i] + size;
    }
}

/* .reg .b32 %r<17>; */
static int read_registers(struct ptx_body *body) {
    static const struct {
        const char *type;
        char kind;
    } kTypes[] = {{".pred", 'p'}, {".b32", 'r'}, {".b64", 'd'}};
    struct ptx_kernel *kernel = body->kernel;
    const struct ptx_word type = ptx_next(&body->lexer);
    char kind = 0;
    for (u32 i = 0; i < sizeof kTypes / sizeof kTypes[0]; ++i)
        if (ptx_is(type, kTypes[i].type)) kind = kTypes[i].kind;
    if (!kind || body->bank_count == MOST_BANKS)
        return ptx_wrong(body, type, "registers of a type that is not known");
    struct ptx_bank *bank = &body->banks[body->bank_count++];
    bank->kind = kind;
    bank->prefix = ptx_next(&body->lexer);
    if (!ptx_expect(body, "<")) return 0;
    unsigned long long count;
    const struct ptx_word number = ptx_next(&body->lexer);
    if (!ptx_number(number, &count) || count > 65536)
        return ptx_wrong(body, number, "no number of registers");
    u32 *total = kind == 'p' ? &kernel->predicates
                 : kind == 'd' ? &kernel->registers64
                               : &kernel->registers32;
    bank->first = *total;
    bank->count = (u32)count;
    *total += bank->count;
    return ptx_expect(body, ">") && ptx_expect(body, ";");
}

/* .shared .align 16 .b8 NAME[8192]; */
static int read_shared(struct ptx_body *body) {
    struct ptx_kernel *kernel = body->kernel;
    unsigned long long align, size;
    if (!ptx_expect(body, ".align")) return 0;
    struct ptx_word word = ptx_next(&body->lexer);
    if (!ptx_number(word, &align) || align == 0 || align > 128)
        return ptx_wrong(body, word, "no alignment");
    if (!ptx_expect(body, ".b8")) return 0;
    const struct ptx_word name = ptx_next(&body->lexer);
    if (!ptx_expect(body, "[")) return 0;
    word = ptx_next(&body->lexer);
    /* 48 KiB: what a group gets without asking for more. */
    if (!ptx_number(word, &size) || kernel->shared_bytes + size > SHARED_BASE + (48 << 10) ||
        body->array_count == MOST_ARRAYS)
        return ptx_wrong(body, word, "too much shared memory");
    if (kernel->shared_bytes == 0) kernel->shared_bytes = SHARED_BASE;
    const u32 at = (kernel->shared_bytes + (u32)align - 1) / (u32)align * (u32)align;
    body->arrays[body->array_count++] = (struct ptx_array){name, at};
    kernel->shared_bytes = at + (u32)size;
    return ptx_expect(body, "]") && ptx_expect(body, ";");
}

static int find_targets(struct ptx_body *body) {
    for (u32 i = 0; i < body->jump_count; ++i) {
        u32 found = 0;
        for (; found < body->label_count; ++found)
            if (ptx_same(body->labels[found].name, body->jumps[i].name)) break;
        if (found == body->label_count)
            return ptx_wrong(body, body->jumps[i].name, "no label of this name");
        body->kernel->code[body->jumps[i].at].target = body->labels[found].at;
    }
    return 1;
}

static int read_body(struct ptx_body *body) {
    struct ptx_kernel *kernel = body->kernel;
    if (!ptx_expect(body, "{")) return 0;
    for (;;) {
        const struct ptx_word word = ptx_next(&body->lexer);
        if (word.size == 0) return ptx_wrong(body, word, "the text ends in a kernel");
        if (ptx_is(word, "}")) break;
        if (ptx_is(word, ".reg")) {
            /* Constants come behind all registers, so those must be known first. */
            if (kernel->length > 0) return ptx_wrong(body, word, "registers behind code");
            if (!read_registers(body)) return 0;
        } else if (ptx_is(word, ".shared")) {
            if (!read_shared(body)) return 0;
        } else if (ptx_is(word, ".pragma")) { /* advice to the compiler */
            while (!ptx_is(ptx_next(&body->lexer), ";"))
                if (*body->lexer.at == '\0') return ptx_wrong(body, word, "never ends");
        } else if (*body->lexer.at == ':') {
            ptx_next(&body->lexer);
            body->labels = ptx_grown(body->labels, body->label_count, sizeof *body->labels);
            body->labels[body->label_count++] = (struct ptx_label){word, kernel->length};
        } else if (!ptx_read_instruction(body, word)) {
            return 0;
        }
    }
    if (kernel->length == 0 || kernel->code[kernel->length - 1].op != OP_RETURN)
        return ptx_wrong(body, ptx_next(&body->lexer), "a kernel that does not end with ret");
    return find_targets(body);
}

static int read_entry(struct ptx_module *module, struct ptx_body *body) {
    const struct ptx_word name = ptx_next(&body->lexer);
    module->kernels = ptx_grown(module->kernels, module->count, sizeof *module->kernels);
    body->kernel = &module->kernels[module->count++];
    *body->kernel = (struct ptx_kernel){0};
    body->kernel->name = strndup(name.begin, name.size);
    body->bank_count = body->array_count = body->label_count = body->jump_count = 0;
    body->labels = body->jumps = NULL;
    const int good = read_parameters(body) && read_body(body);
    free(body->labels);
    free(body->jumps);
    return good;
}

static int read_module(struct ptx_module *module, struct ptx_body *body) {
    int version = 0, target = 0;
    for (;;) {
        const struct ptx_word word = ptx_next(&body->lexer);
        if (word.size == 0) break;
        if (ptx_is(word, ".version")) {
            ptx_next(&body->lexer);
            version = 1;
        } else if (ptx_is(word, ".target")) {
            target = ptx_begins(ptx_next(&body->lexer), "sm_");
        } else if (ptx_is(word, ".address_size")) {
            if (!ptx_expect(body, "64")) return 0;
        } else if (ptx_is(word, ".visible")) {
            if (!ptx_expect(body, ".entry") || !read_entry(module, body)) return 0;
        } else {
            return ptx_wrong(body, word, "a directive that is not known");
        }
    }
    return (version && target && module->count > 0) ||
           ptx_wrong(body, ptx_next(&body->lexer), "no .version, no .target or no entry");
}

struct ptx_module *ptx_load(const char *text, char *log, size_t log_size) {
    struct ptx_module *module = calloc(1, sizeof *module);
    if (!module) abort();
    struct ptx_body body = {.lexer = {text, 1}, .log = log, .log_size = log_size};
    if (read_module(module, &body)) return module;
    ptx_unload(module);
    return NULL;
}

void ptx_unload(struct ptx_module *module) {
    for (u32 i = 0; i < module->count; ++i) {
        free(module->kernels[i].name);
        free(module->kernels[i].code);
        free(module->kernels[i].constants32);
        free(module->kernels[i].constants64);
    }
    free(module->kernels);
    free(module);
}

const struct ptx_kernel *ptx_find(const struct ptx_module *module, const char *name) {
    for (u32 i = 0; i < module->count; ++i)
        if (strcmp(module->kernels[i].name, name) == 0) return &module->kernels[i];
    return NULL;
}

const char *ptx_name(const struct ptx_kernel *kernel) { return kernel->name; }
