/*
 * FAKE libcuda.so.1 for machines without a GPU: a test double that stands in for
 * NVIDIA's driver library. Its devices have the memory of this process, and run the
 * PTX that they are given in an interpreter (../ptx). Everything is done when a call
 * returns; an error of a kernel comes out at the next call that waits, and stays, as
 * with the real one.
 *
 * Orders beside those of orders.h (CALL is the name without _v2):
 *
 *   pci=A;B;C     PCI addresses; else 0000:01:00.0, 0000:02:00.0 and so on
 *   name=TEXT     the model; "Fake GPU"
 *   sm=N          compute capability times ten; 90
 *   units=N       multiprocessors; 16
 *   mode=N        compute mode: 0 shared, 2 prohibited, 3 exclusive; 0
 *   memory=MIB    total memory; 24576
 *   free=MIB      free memory, before this process; memory
 *   gflops=N      how fast the product claims to be, by the events; 2000
 *   burn=MS       processor time that each product takes besides
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../orders.h"
#include "../ptx/ptx.h"

typedef int CUresult;

enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101,
    INVALID_IMAGE = 200, INVALID_CONTEXT = 201, INVALID_PTX = 218, INVALID_HANDLE = 400,
    NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, LAUNCH_TIMEOUT = 702, MISALIGNED_ADDRESS = 716,
    LAUNCH_FAILED = 719
};

enum { MOST_DEVICES = 64, MOST_ALLOCATIONS = 64 };

struct context {
    unsigned users;
    struct ptx_range memory[MOST_ALLOCATIONS];
    unsigned allocations;
    uint64_t bytes;
    uint64_t clock_ns; /* the device's own: what its work claims to have taken */
    CUresult failed;   /* an error of a kernel */
};

/* After cuInit; between these two calls nobody else changes what a context holds. */
void lock_contexts(void);
void unlock_contexts(void);

int is_initialised(void);
struct context *context_of(int device); /* NULL: no such device */

/* What a call begins with: the code that is ordered, or that there is no current
 * context, or what a kernel has failed with. */
CUresult enter(const char *call, struct context **current);

uint64_t free_bytes(const struct context *context);
