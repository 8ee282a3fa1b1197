/*
 * FAKE. The command processor: a thread for each queue takes the packets that the
 * doorbell has told it of, one after another.
 */
#define _GNU_SOURCE
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../simulated_launch.h"
#include "gpu.h"

struct queue {
    pthread_t thread;
    int stop, stopped;
    HSAuint32 node;
    hsa_kernel_dispatch_packet_t *packets;
    HSAuint64 size;
    amd_queue_t *shared; /* with the runtime */
    HSAuint64 *doorbell; /* the number of the last packet */
};

static HSAuint64 nanoseconds(void) {
    HsaClockCounters clocks;
    hsaKmtGetClockCounters(0, &clocks);
    return clocks.SystemClockCounter;
}

static amd_signal_t *signal_of(hsa_signal_t signal) { return (amd_signal_t *)signal.handle; }

/* The runtime's own kernels, which fill and copy, in the layout that 5.2.3 gives
 * their arguments: pairs of from and to, each phase beginning where the last ended. */
static void run_blit(const hsa_kernel_dispatch_packet_t *packet) {
    const HSAuint64 *a = packet->kernarg_address;
    const int copies = a[2] - a[0] == a[3] - a[1] && a[4] - a[2] == a[5] - a[3];
    const int in_four = copies && a[6] - a[4] == a[7] - a[5] && a[8] - a[6] == a[9] - a[7];
    if (copies) {
        memcpy((void *)a[1], (void *)a[0], (in_four ? a[8] : a[4]) - a[0]);
        return;
    }
    for (unsigned *word = (unsigned *)a[0]; word < (unsigned *)a[2]; ++word)
        *word = (unsigned)a[3];
}

/* What takes the place of the first product, where that was ordered. */
static int stops(struct queue *queue, const char *name) {
    const long error = fake_number("queue-error", 0), fault = fake_number("fault", 0);
    if (strcmp(name, "gantry_sgemm") != 0 || (error == 0 && fault == 0)) return 0;
    if (error != 0)
        __atomic_store_n(&signal_of(queue->shared->queue_inactive_signal)->value, error,
                         __ATOMIC_RELEASE);
    else
        fake_memory_fault(queue->node, fault);
    queue->stopped = 1;
    return 1;
}

static void dispatch(struct queue *queue, const hsa_kernel_dispatch_packet_t *packet) {
    const char *name = fake_kernel_name((const void *)packet->kernel_object);
    if (!name) {
        run_blit(packet);
        return;
    }
    if (stops(queue, name)) return;
    (void)simulated_launch(name, packet->kernarg_address,
                           packet->grid_size_x / packet->workgroup_size_x, packet->grid_size_y);
}

/* One packet, if there is one; every kind but a dispatch is done at once. */
static int step(struct queue *queue, HSAuint64 next) {
    const HSAuint64 last = __atomic_load_n(queue->doorbell, __ATOMIC_ACQUIRE);
    if (queue->stopped || last == ~0ULL || next > last) return 0;
    hsa_kernel_dispatch_packet_t *packet = &queue->packets[next % queue->size];
    const unsigned type = __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE) & 0xFF;
    if (type == HSA_PACKET_TYPE_INVALID) return 0;
    const HSAuint64 begin = nanoseconds();
    if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) dispatch(queue, packet);
    if (queue->stopped) return 0;
    amd_signal_t *done = signal_of(packet->completion_signal);
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
    __atomic_store_n(&queue->shared->read_dispatch_id, next + 1, __ATOMIC_RELEASE);
    if (done) {
        done->start_ts = begin;
        done->end_ts = nanoseconds();
        __atomic_fetch_sub(&done->value, 1, __ATOMIC_ACQ_REL);
    }
    return 1;
}

static void *process(void *data) {
    const struct timespec moment = {0, 50000};
    struct queue *queue = data;
    for (HSAuint64 next = 0; !__atomic_load_n(&queue->stop, __ATOMIC_ACQUIRE);)
        if (step(queue, next)) ++next;
        else nanosleep(&moment, NULL);
    return NULL;
}

KMT hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percentage,
                      HSA_QUEUE_PRIORITY priority, void *address, HSAuint64 size, HsaEvent *event,
                      HsaQueueResource *resource) {
    (void)type, (void)percentage, (void)priority, (void)event;
    const long code = fake_enter("hsaKmtCreateQueue");
    if (code != 0) return (HSAKMT_STATUS)code;
    struct queue *queue = calloc(1, sizeof *queue);
    HSAuint64 *doorbell = aligned_alloc(4096, 4096);
    if (!queue || !doorbell) return HSAKMT_STATUS_NO_MEMORY;
    *doorbell = ~0ULL;
    queue->node = node;
    queue->packets = address;
    queue->size = size / sizeof *queue->packets;
    queue->shared = (amd_queue_t *)((char *)resource->Queue_read_ptr_aql -
                                    offsetof(amd_queue_t, read_dispatch_id));
    queue->doorbell = doorbell;
    resource->Queue_DoorBell_aql = doorbell;
    resource->QueueId = (HSA_QUEUEID)queue;
    return pthread_create(&queue->thread, NULL, process, queue) == 0 ? OK
                                                                     : HSAKMT_STATUS_NO_MEMORY;
}

KMT hsaKmtDestroyQueue(HSA_QUEUEID id) {
    struct queue *queue = (struct queue *)id;
    __atomic_store_n(&queue->stop, 1, __ATOMIC_RELEASE);
    pthread_join(queue->thread, NULL);
    return OK;
}

KMT hsaKmtUpdateQueue(HSA_QUEUEID id, HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
                      void *address, HSAuint64 size, HsaEvent *event) {
    (void)id, (void)percentage, (void)priority, (void)address, (void)size, (void)event;
    return OK;
}

KMT hsaKmtSetQueueCUMask(HSA_QUEUEID id, HSAuint32 count, HSAuint32 *mask) {
    (void)id, (void)count, (void)mask;
    return OK;
}
