/* FAKE: signals, and queues whose packets are run by whoever rings the doorbell. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>
#include <string.h>

#include "../simulated_launch.h"
#include "code.h"
#include "hsa.h"

struct packet { /* hsa_kernel_dispatch_packet_t */
    uint16_t header, setup, group[3], unused;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel;
    const char *arguments;
    uint64_t unused2;
    hsa_signal_t completion;
};

typedef struct { /* hsa_queue_t */
    uint32_t type, features;
    struct packet *packets;
    hsa_signal_t doorbell;
    uint32_t size, unused;
    uint64_t id;
} hsa_queue_t;

struct signal {
    int64_t value;
    struct queue *queue; /* whose doorbell this is */
    uint64_t begin, end; /* in nanoseconds, of the packet that it completes */
};

typedef void (*error_handler)(hsa_status_t, hsa_queue_t *, void *);

struct queue {
    hsa_queue_t shared; /* first: what the runtime hands out is its address */
    struct signal doorbell;
    hsa_agent_t agent;
    uint64_t written, next, clock;
    error_handler on_error;
    void *data;
    int stopped;
};

static struct signal *signal_of(hsa_signal_t signal) {
    return (struct signal *)(uintptr_t)signal.handle;
}

FAKE_EXPORT hsa_status_t hsa_signal_create(int64_t value, uint32_t count,
                                           const hsa_agent_t *consumers, hsa_signal_t *signal) {
    (void)count, (void)consumers;
    const hsa_status_t code = enter("hsa_signal_create");
    if (code != SUCCESS) return code;
    struct signal *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_RESOURCES;
    made->value = value;
    signal->handle = (uint64_t)(uintptr_t)made;
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
    const hsa_status_t code = enter("hsa_signal_destroy");
    if (code == SUCCESS) free(signal_of(signal));
    return code;
}

FAKE_EXPORT int64_t hsa_signal_load_scacquire(hsa_signal_t signal) {
    (void)fake_enter("hsa_signal_load_scacquire");
    return __atomic_load_n(&signal_of(signal)->value, __ATOMIC_ACQUIRE);
}

FAKE_EXPORT hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type,
                                          error_handler on_error, void *data,
                                          uint32_t private_bytes, uint32_t group_bytes,
                                          hsa_queue_t **queue) {
    (void)private_bytes, (void)group_bytes;
    const hsa_status_t code = enter("hsa_queue_create");
    if (code != SUCCESS) return code;
    if (!is_gpu(agent)) return INVALID_AGENT;
    if (size == 0 || (size & (size - 1)) != 0) return INVALID_ARGUMENT;
    struct queue *made = calloc(1, sizeof *made);
    void *packets;
    if (!made || posix_memalign(&packets, 64, size * sizeof(struct packet)) != 0)
        return OUT_OF_RESOURCES;
    memset(packets, 0, size * sizeof(struct packet));
    for (uint32_t i = 0; i < size; ++i) ((struct packet *)packets)[i].header = 1; /* invalid */
    made->doorbell.queue = made;
    made->agent = agent;
    made->on_error = on_error;
    made->data = data;
    made->shared = (hsa_queue_t){.type = type, .features = 1, .packets = packets,
                                 .doorbell = {(uint64_t)(uintptr_t)&made->doorbell}, .size = size};
    *queue = &made->shared;
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_queue_destroy(hsa_queue_t *queue) {
    const hsa_status_t code = enter("hsa_queue_destroy");
    if (code != SUCCESS) return code;
    free(queue->packets);
    free(queue);
    return SUCCESS;
}

FAKE_EXPORT uint64_t hsa_queue_add_write_index_relaxed(hsa_queue_t *queue, uint64_t count) {
    return __atomic_fetch_add(&((struct queue *)queue)->written, count, __ATOMIC_RELAXED);
}

/* What takes the place of the first product, where that was ordered. */
static int stops(struct queue *queue, const char *kernel) {
    const hsa_status_t error = (hsa_status_t)fake_number("queue-error", 0);
    if (strcmp(kernel, "gantry_sgemm") != 0) return 0;
    (void)fake_enter("gantry_sgemm"); /* to hang or crash in */
    if (error != SUCCESS && queue->on_error) queue->on_error(error, &queue->shared, queue->data);
    else if (fake_number("fault", 0) != 0) tell_fault(queue->agent);
    else return 0;
    queue->stopped = 1;
    return 1;
}

/* How long the kernel claims to have taken. */
static uint64_t claimed_time(const char *kernel, const struct packet *packet) {
    if (strcmp(kernel, "gantry_sgemm") != 0) return 1000;
    uint32_t n;
    memcpy(&n, packet->arguments + 24, sizeof n);
    return 2ULL * n * n * n / (uint64_t)fake_number("gflops", 2000) +
           (uint64_t)fake_number("slow", 0) * 1000000U;
}

static void run(struct queue *queue, struct packet *packet) {
    const char *kernel = kernel_of(packet->kernel);
    if (!kernel || packet->group[0] != 256) abort();
    if (stops(queue, kernel)) return;
    (void)simulated_launch(kernel, packet->arguments, packet->grid[0] / packet->group[0],
                           packet->grid[1]);
    packet->header = 1;
    const uint64_t begin = queue->clock;
    queue->clock += claimed_time(kernel, packet);
    if (packet->completion.handle == 0) return;
    struct signal *done = signal_of(packet->completion);
    done->begin = begin;
    done->end = queue->clock;
    __atomic_fetch_sub(&done->value, 1, __ATOMIC_ACQ_REL);
}

FAKE_EXPORT void hsa_signal_store_screlease(hsa_signal_t signal, int64_t value) {
    struct signal *stored = signal_of(signal);
    __atomic_store_n(&stored->value, value, __ATOMIC_RELEASE);
    struct queue *queue = stored->queue;
    if (!queue) return;
    while (!queue->stopped && queue->next <= (uint64_t)value)
        run(queue, &queue->shared.packets[queue->next++ & (queue->shared.size - 1)]);
}

FAKE_EXPORT hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int on) {
    (void)queue, (void)on;
    return enter("hsa_amd_profiling_set_profiler_enabled");
}

FAKE_EXPORT hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent,
                                                             hsa_signal_t signal,
                                                             uint64_t (*time)[2]) {
    (void)agent;
    const hsa_status_t code = enter("hsa_amd_profiling_get_dispatch_time");
    if (code != SUCCESS) return code;
    (*time)[0] = signal_of(signal)->begin;
    (*time)[1] = signal_of(signal)->end;
    return SUCCESS;
}

static hsa_status_t (*on_event)(const void *event, void *data);
static void *event_data;

FAKE_EXPORT hsa_status_t hsa_amd_register_system_event_handler(
    hsa_status_t (*handler)(const void *event, void *data), void *data) {
    const hsa_status_t code = enter("hsa_amd_register_system_event_handler");
    if (code != SUCCESS) return code;
    on_event = handler;
    event_data = data;
    return SUCCESS;
}

void tell_fault(hsa_agent_t agent) {
    const struct { /* hsa_amd_event_t */
        uint32_t type;
        hsa_agent_t agent;
        uint64_t address;
        uint32_t reasons;
    } event = {0, agent, 0x1000, 1};
    if (!on_event) abort(); /* as the real one does */
    (void)on_event(&event, event_data);
}
