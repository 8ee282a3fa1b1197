/*
 * FAKE libhsakmt.so.1, the layer between AMD's HSA runtime and the kernel's driver:
 * with it the real libhsa-runtime64.so.1 (5.2 to 6.1, later ones have that layer
 * inside) runs on a machine without a GPU. Topology and memory are made up here;
 * queues, packets, signals and the loader of code objects are the runtime's own,
 * and a kernel is run by its source compiled for a processor (../simulated_launch.h).
 *
 * Orders (../orders.h), besides CALL=CODE, hang=CALL and crash=CALL:
 *   count=N         GPUs, at 0000:03:00.0, 0000:04:00.0 and so on; 1
 *   gfx=NAME        their instruction set; gfx1030
 *   vram=BYTES      more than this is refused
 *   queue-error=CODE  of the packet processor, instead of the first product
 *   fault=REASON    a memory fault instead of the first product
 */
#pragma once

#include <hsakmt.h>

#include "../orders.h"

#define KMT FAKE_EXPORT HSAKMT_STATUS

#define OK HSAKMT_STATUS_SUCCESS

unsigned fake_gpu_count(void);
const char *fake_gpu_target(void); /* "gfx1030" */

/* The command processor: the name of the kernel of this descriptor, NULL for none of ours. */
const char *fake_kernel_name(const void *descriptor);

/* Tells the runtime of a memory fault of this GPU. */
void fake_memory_fault(HSAuint32 node, long reason);
