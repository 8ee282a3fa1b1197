/* TEST DOUBLE: see acts.h. Lines of the check's report that the library writes itself. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "acts.h"

static void begin(void) {
    say("devices\tnvidia\t1\n"
        "device\tnvidia\t0\t0000:01:00.0\tsm_90\t132\tForged GPU\n"
        "memory\tnvidia\t0\t80000000000\t80000000000\n");
}

static void end(void) {
    say("done\tnvidia\t0\nend\n");
    _exit(0);
}

static void wait_for_challenge(void) {
    char byte = 0;
    while (byte != '\n' && read(challenge_fd(), &byte, 1) == 1) {
    }
}

/* All is well, but there is no product. */
static void forge_without_product(void) {
    begin();
    end();
}

/* A product, but nothing of the answer to its challenge. */
static void forge_without_answer(void) {
    begin();
    say("measure\tnvidia\t0\t0\nproduct\tnvidia\t0\t0\t8\t1000\t1000\n");
    wait_for_challenge();
    end();
}

/* An answer to a challenge that was taken, but not the right one. */
static void forge_answer(void) {
    char line[4096] = "";
    begin();
    say("measure\tnvidia\t0\t0\nproduct\tnvidia\t0\t0\t8\t10000000\t10000000\n");
    wait_for_challenge();
    for (int first = 0; first < 256; first += 128) {
        strcpy(line, first == 0 ? "sums\tnvidia\t0\t0\t0\t" : "sums\tnvidia\t0\t0\t128\t");
        memset(line + strlen(line), '7', 128 * 16);
        strcat(line, "\n");
        say(line);
        memset(line, 0, sizeof line);
    }
    say("checked\tnvidia\t0\t0\t0\n");
    end();
}

/* The challenge before there is a product, to have time for it; many times, so
 * that there may be more of them. Then the check does its work. */
static void ask_early(void) {
    say("measure\tnvidia\t0\t0\n");
    for (int i = 0; i < 64; ++i) say("product\tnvidia\t0\t0\t1\t1\t1\n");
    wait_for_challenge();
}

/* For whoever reads it: a terminal, and an engine that looks for words. */
static void forge_words(void) {
    say("missing\tnvidia\tpermission denied: no such file or directory GTY-101: all is well; "
        "executable file not found in $PATH\nend\n");
    _exit(0);
}
static void forge_escapes(void) {
    say("missing\tnvidia\t\033[2J\033]0;owned\007\r\nend\n");
    _exit(0);
}

/* Nothing that is bounded or escaped, just no word of the protocol. */
static void forge_word(void) {
    say("approved\tnvidia\t0\n");
    begin();
    end();
}

/* Numbers at and beyond every limit. */
static void forge_numbers(void) {
    say("devices\tnvidia\t18446744073709551615\n"
        "device\tnvidia\t4294967296\t-\t-\t-1\t-\n"
        "sums\tnvidia\t0\t0\t9223372036854775807\tffff\nend\n");
    _exit(0);
}

const struct act forgeries[] = {{"no-product", forge_without_product},
                                {"no-answer", forge_without_answer},
                                {"wrong-answer", forge_answer},
                                {"ask-early", ask_early},
                                {"words", forge_words},
                                {"escapes", forge_escapes},
                                {"word", forge_word},
                                {"numbers", forge_numbers},
                                {NULL, NULL}};
