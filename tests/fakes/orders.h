/*
 * FAKE. What the fake GPU libraries are told to do, from the environment
 * variable GANTRY_FAKE_GPU or else from the file /etc/gantry-fake-gpu:
 *
 *   ORDER[,ORDER...]      ORDER: CALL=CODE   that call returns this code
 *                                hang=CALL   that call never returns
 *                                crash=CALL  that call dies of SIGSEGV
 *                                count=N     GPUs, instead of the nodes in /dev
 */
#pragma once

#define FAKE_EXPORT __attribute__((visibility("default")))

/* At the beginning of each call: hangs, crashes or returns the code to give. */
long fake_enter(const char *call);

/* `count=N`, else the entries of `folder` that are PREFIX and then a digit. */
unsigned fake_count(const char *folder, const char *prefix);
