/*
 * FAKE libhsa-runtime64.so.1 for machines without a GPU: a test double that stands in
 * for AMD's HSA runtime. Like the real one it has a CPU agent first and may initialise
 * with no GPU at all. Its queues run a packet when the doorbell rings, the kernels by
 * their source compiled for a processor (../simulated_launch.h), whatever code object
 * they were loaded from; the real runtime is tested with ../hsakmt.
 *
 * Orders beside those of ../orders.h:
 *
 *   pci=A;B;C        PCI addresses; else 0000:03:00.0, 0000:04:00.0 and so on
 *   name=TEXT        the model; "Fake Radeon"
 *   gfx=NAME         instruction sets, by semicolons; gfx1030
 *   objects=N        the newest version of code objects that it takes; 6
 *   units=N          compute units; 16
 *   memory=MIB       of each GPU; 24576
 *   free=MIB         as the runtime tells it; memory, unknown where it is -1
 *   gflops=N         how fast the product claims to be, by the signals; 2000
 *   queue-error=CODE the queue has this error instead of the first product
 *   fault=1          a memory fault instead of the first product
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../orders.h"

typedef uint32_t hsa_status_t;
typedef struct {
    uint64_t handle;
} hsa_agent_t, hsa_isa_t, hsa_pool_t, hsa_signal_t, hsa_reader_t, hsa_executable_t, hsa_symbol_t;

enum {
    SUCCESS = 0, INVALID_ARGUMENT = 0x1001, INVALID_AGENT = 0x1004, OUT_OF_RESOURCES = 0x1008,
    NOT_INITIALISED = 0x100B, INVALID_CODE_OBJECT = 0x1010, INVALID_SYMBOL = 0x1013
};

enum { CPU_AGENT = 1, FIRST_GPU = 2, MOST_GPUS = 64 };

/* What a call begins with: the code that is ordered, or that there was no hsa_init. */
hsa_status_t enter(const char *call);

unsigned gpu_count(void);
int is_gpu(hsa_agent_t agent);

/* Calls the handlers of memory faults. */
void tell_fault(hsa_agent_t agent);
