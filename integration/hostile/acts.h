/*
 * TEST DOUBLE. What a hostile image's libcuda.so.1 does at cuInit, before it goes on
 * as the fake of tests/fakes (whose symbol it has, so a real host refuses it). The
 * order act=NAME in its orders says which (tests/fakes/orders.h); the check's own
 * report and challenges are two pipes that any library in its process can use.
 */
#pragma once

struct act {
    const char *name;
    void (*perform)(void);
};
extern const struct act acts[];       /* the last one has no name */
extern const struct act forgeries[];  /* likewise: those that speak for the check */

int report_fd(void);
int challenge_fd(void);
void say(const char *text);  /* on the report */
