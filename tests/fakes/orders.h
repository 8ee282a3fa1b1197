/*
 * FAKE. What the fake GPU libraries are told to do, from the environment
 * variable GANTRY_FAKE_GPU or else from the file /etc/gantry-fake-gpu:
 *
 *   ORDER[,ORDER...]      ORDER: CALL=CODE   that call returns this code
 *                                hang=CALL   that call never returns
 *                                crash=CALL  that call dies of SIGSEGV
 *                                count=N     GPUs, instead of the nodes in /dev
 *                                product=KIND  of the fakes that compute: the product
 *                                            has one bit flipped in it (bit), one
 *                                            element one too large (more), one that is
 *                                            no number (nan), a row that was not
 *                                            written (row), or is not made, always
 *                                            (skipped) or but for the first time (stale)
 *                                slow=MS     each product takes that much longer
 *                                NAME=VALUE  what one fake alone knows: see there
 */
#pragma once

#define FAKE_EXPORT __attribute__((visibility("default")))

/* At the beginning of each call: hangs, crashes or returns the code to give. */
long fake_enter(const char *call);

/* `count=N`, else the entries of `folder` that are PREFIX and then a digit. */
unsigned fake_count(const char *folder, const char *prefix);

/* The number of the order NAME=, `otherwise` where it is not given. */
long fake_number(const char *name, long otherwise);

/* Is the order NAME=WORD given? */
int fake_told(const char *name, const char *word);

/* The orders about the product, for what computes: before it, and after it. */
int fake_skips_product(void);
void fake_spoil_product(float *product, unsigned size);

/* The value of the order NAME= and its length, NULL where it is not given. */
const char *fake_text(const char *name, unsigned long *length);
