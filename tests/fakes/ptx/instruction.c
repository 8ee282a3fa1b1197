/* One instruction: text to struct ptx_instruction. */
#include <string.h>

#include "body.h"

/* A register for a value that stands in the text. The constants come behind the
 * registers of the text, so an instruction knows registers only. */
static u32 constant(struct ptx_body *body, char kind, u64 value) {
    struct ptx_kernel *kernel = body->kernel;
    struct ptx_constant **all = kind == 'd' ? &kernel->constants64 : &kernel->constants32;
    u32 *count = kind == 'd' ? &kernel->constant_count64 : &kernel->constant_count32;
    u32 *registers = kind == 'd' ? &kernel->registers64 : &kernel->registers32;
    if (kind == 'r') value = (u32)value;
    for (u32 i = 0; i < *count; ++i)
        if ((*all)[i].value == value) return (*all)[i].index;
    *all = ptx_grown(*all, *count, sizeof **all);
    (*all)[*count] = (struct ptx_constant){*registers, value};
    ++*count;
    return (*registers)++;
}

/* %r12: bank "%r", number 12. */
static int find_register(const struct ptx_body *body, struct ptx_word word, char kind, u32 *index) {
    for (u32 i = 0; i < body->bank_count; ++i) {
        const struct ptx_bank *bank = &body->banks[i];
        if (bank->kind != kind || word.size <= bank->prefix.size) continue;
        if (memcmp(word.begin, bank->prefix.begin, bank->prefix.size) != 0) continue;
        struct ptx_word digits = word;
        digits.begin += bank->prefix.size;
        digits.size -= bank->prefix.size;
        unsigned long long number;
        if (digits.begin[0] == '0' && digits.size > 1) continue; /* "0x", "0f", "01" */
        if (!ptx_number(digits, &number) || number >= bank->count) continue;
        *index = bank->first + (u32)number;
        return 1;
    }
    return 0;
}

static int find_array(const struct ptx_body *body, struct ptx_word word, u64 *at) {
    for (u32 i = 0; i < body->array_count; ++i)
        if (ptx_same(body->arrays[i].name, word)) {
            *at = body->arrays[i].at;
            return 1;
        }
    return 0;
}

static int read_result(struct ptx_body *body, char kind, u32 *index) {
    const struct ptx_word word = ptx_next(&body->lexer);
    return find_register(body, word, kind, index) ||
           ptx_wrong(body, word, "no register of the width that the instruction writes");
}

static int read_source(struct ptx_body *body, char kind, u32 *index) {
    struct ptx_word word = ptx_next(&body->lexer);
    if (find_register(body, word, kind, index)) return 1;
    unsigned long long value;
    u64 at;
    if (kind != 'p' && find_array(body, word, &at)) {
        *index = constant(body, kind, at);
        return 1;
    }
    const int negative = ptx_is(word, "-");
    if (negative) word = ptx_next(&body->lexer);
    if (kind == 'p' || !ptx_number(word, &value))
        return ptx_wrong(body, word, "no value of the width that the instruction reads");
    *index = constant(body, kind, negative ? 0 - value : value);
    return 1;
}

/* [%rd3], [%rd3+16], [%rd3+-16], [array+8] */
static int read_address(struct ptx_body *body, struct ptx_instruction *made) {
    if (!ptx_expect(body, "[")) return 0;
    const struct ptx_word base = ptx_next(&body->lexer);
    u64 at;
    if (find_register(body, base, 'd', &made->base)) made->wide_base = 1;
    else if (find_register(body, base, 'r', &made->base)) made->wide_base = 0;
    else if (find_array(body, base, &at)) {
        made->wide_base = 1;
        made->base = constant(body, 'd', at);
    } else {
        return ptx_wrong(body, base, "no base of an address");
    }
    struct ptx_word word = ptx_next(&body->lexer);
    if (ptx_is(word, "+")) {
        word = ptx_next(&body->lexer);
        const int negative = ptx_is(word, "-");
        if (negative) word = ptx_next(&body->lexer);
        unsigned long long value;
        if (!ptx_number(word, &value)) return ptx_wrong(body, word, "no offset of an address");
        made->offset = negative ? -(i64)value : (i64)value;
        word = ptx_next(&body->lexer);
    }
    return ptx_is(word, "]") || ptx_wrong(body, word, "no ] behind an address");
}

/* A register may be wider than what is accessed (PTX ISA, "Operand Size Exceeding
 * Instruction-Type Size"): a load then fills up with zeros. */
static int is_wide_register(const struct ptx_body *body) {
    struct ptx_lexer ahead = body->lexer;
    u32 index;
    return find_register(body, ptx_next(&ahead), 'd', &index);
}

/* One element, or as many as .v2 or .v4 says in braces. */
static int read_elements(struct ptx_body *body, struct ptx_instruction *made, int results) {
    made->wide_value = made->words == 2 || (made->count == 1 && is_wide_register(body));
    const char kind = made->wide_value ? 'd' : 'r';
    if (made->count > 1 && !ptx_expect(body, "{")) return 0;
    for (u32 i = 0; i < made->count; ++i) {
        if (i > 0 && !ptx_expect(body, ",")) return 0;
        if (!(results ? read_result(body, kind, &made->result[i])
                      : read_source(body, kind, &made->source[i])))
            return 0;
    }
    return made->count == 1 || ptx_expect(body, "}");
}

/* .shared.v4.b32: the state space, how many, how wide. */
static int read_access(struct ptx_body *body, struct ptx_word opcode,
                       struct ptx_instruction *made) {
    static const struct {
        const char *text;
        unsigned char shared;
    } kSpaces[] = {{".shared", 1}, {".global.nc", 0}, {".global", 0}};
    static const struct {
        const char *text;
        unsigned char count, words;
    } kWidths[] = {{".b32", 1, 1}, {".b64", 1, 2}, {".v2.b32", 2, 1}, {".v4.b32", 4, 1},
                   {".v2.b64", 2, 2}};
    struct ptx_word rest = opcode;
    rest.begin += 2;
    rest.size -= 2;
    for (u32 i = 0; i < sizeof kSpaces / sizeof kSpaces[0]; ++i) {
        if (!ptx_begins(rest, kSpaces[i].text)) continue;
        struct ptx_word width = rest;
        width.begin += strlen(kSpaces[i].text);
        width.size -= strlen(kSpaces[i].text);
        for (u32 j = 0; j < sizeof kWidths / sizeof kWidths[0]; ++j)
            if (ptx_is(width, kWidths[j].text)) {
                made->shared = kSpaces[i].shared;
                made->count = kWidths[j].count;
                made->words = kWidths[j].words;
                return 1;
            }
    }
    return ptx_wrong(body, opcode, "an access of a kind that is not known");
}

static int read_parameter(struct ptx_body *body, struct ptx_word opcode,
                          struct ptx_instruction *made) {
    made->op = OP_PARAMETER;
    made->count = 1;
    made->words = ptx_is(opcode, "ld.param.b64") ? 2 : 1;
    if (made->words == 1 && !ptx_is(opcode, "ld.param.b32"))
        return ptx_wrong(body, opcode, "a parameter of a kind that is not known");
    if (!read_elements(body, made, 1) || !ptx_expect(body, ",") || !ptx_expect(body, "["))
        return 0;
    const struct ptx_word name = ptx_next(&body->lexer);
    for (u32 i = 0; i < body->kernel->parameters; ++i)
        if (ptx_same(body->parameters[i], name)) {
            if (body->kernel->parameter_size[i] != made->words * 4u)
                return ptx_wrong(body, name, "a parameter of another width");
            made->offset = body->kernel->parameter_at[i];
            return ptx_expect(body, "]");
        }
    return ptx_wrong(body, name, "no parameter of the kernel");
}

static int read_special(struct ptx_body *body, const struct ptx_opcode *opcode,
                        struct ptx_instruction *made, int *found) {
    static const struct {
        const char *text;
        char kind;
        unsigned char number;
    } kSpecials[] = {{"%tid.x", 'r', SPECIAL_TID},         {"%ntid.x", 'r', SPECIAL_NTID},
                     {"%ctaid.x", 'r', SPECIAL_CTAID_X},   {"%ctaid.y", 'r', SPECIAL_CTAID_Y},
                     {"%smid", 'r', SPECIAL_SMID},         {"%globaltimer", 'd', SPECIAL_CLOCK},
                     {"%clock64", 'd', SPECIAL_CLOCK}};
    const struct ptx_lexer before = body->lexer;
    const struct ptx_word word = ptx_next(&body->lexer);
    for (u32 i = 0; i < sizeof kSpecials / sizeof kSpecials[0]; ++i)
        if (ptx_is(word, kSpecials[i].text)) {
            *found = 1;
            made->op = OP_SPECIAL;
            made->compare = kSpecials[i].number;
            made->words = kSpecials[i].kind == 'd' ? 2 : 1;
            return opcode->operands[1] == kSpecials[i].kind ||
                   ptx_wrong(body, word, "a special register of another width");
        }
    body->lexer = before;
    *found = 0;
    return 1;
}

static int read_plain(struct ptx_body *body, struct ptx_word word, struct ptx_instruction *made) {
    const struct ptx_opcode *opcode = NULL;
    for (u32 i = 0; i < ptx_opcode_count && !opcode; ++i)
        if (ptx_is(word, ptx_opcodes[i].text)) opcode = &ptx_opcodes[i];
    if (!opcode) return ptx_wrong(body, word, "an instruction that is not known");
    made->op = opcode->op;
    made->compare = opcode->compare;
    made->unordered = opcode->unordered;
    if (!read_result(body, opcode->operands[0], &made->result[0])) return 0;
    int special = 0;
    if (made->op == OP_MOVE32 || made->op == OP_MOVE64) {
        if (!ptx_expect(body, ",") || !read_special(body, opcode, made, &special)) return 0;
        return special || read_source(body, opcode->operands[1], &made->source[0]);
    }
    for (u32 i = 1; opcode->operands[i]; ++i)
        if (!ptx_expect(body, ",") ||
            !read_source(body, opcode->operands[i], &made->source[i - 1]))
            return 0;
    return 1;
}

static int read_operation(struct ptx_body *body, struct ptx_word word,
                          struct ptx_instruction *made) {
    if (ptx_begins(word, "ld.param")) return read_parameter(body, word, made);
    if (ptx_begins(word, "ld.")) {
        made->op = OP_LOAD;
        return read_access(body, word, made) && read_elements(body, made, 1) &&
               ptx_expect(body, ",") && read_address(body, made);
    }
    if (ptx_begins(word, "st.")) {
        made->op = OP_STORE;
        return read_access(body, word, made) && read_address(body, made) &&
               ptx_expect(body, ",") && read_elements(body, made, 0);
    }
    if (ptx_is(word, "bra") || ptx_is(word, "bra.uni")) {
        made->op = OP_BRANCH;
        body->jumps = ptx_grown(body->jumps, body->jump_count, sizeof *body->jumps);
        body->jumps[body->jump_count++] =
            (struct ptx_label){ptx_next(&body->lexer), body->kernel->length};
        return 1;
    }
    if (ptx_is(word, "bar.sync")) {
        made->op = OP_BARRIER;
        return ptx_expect(body, "0");
    }
    if (ptx_is(word, "ret")) {
        made->op = OP_RETURN;
        return 1;
    }
    return read_plain(body, word, made);
}

int ptx_read_instruction(struct ptx_body *body, struct ptx_word first) {
    struct ptx_instruction made = {.line = first.line};
    if (ptx_is(first, "@")) {
        struct ptx_word word = ptx_next(&body->lexer);
        made.guarded = 1;
        if (ptx_is(word, "!")) {
            made.guard_negated = 1;
            word = ptx_next(&body->lexer);
        }
        if (!find_register(body, word, 'p', &made.guard))
            return ptx_wrong(body, word, "no predicate");
        first = ptx_next(&body->lexer);
    }
    if (!read_operation(body, first, &made) || !ptx_expect(body, ";")) return 0;
    struct ptx_kernel *kernel = body->kernel;
    kernel->code = ptx_grown(kernel->code, kernel->length, sizeof *kernel->code);
    kernel->code[kernel->length++] = made;
    return 1;
}
