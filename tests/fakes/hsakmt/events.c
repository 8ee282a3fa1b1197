/* FAKE. Events never come by themselves: who waits looks again after a moment. */
#include <stdlib.h>
#include <time.h>

#include "events.h"
#include "gpu.h"

static HsaEvent *memory_event;
static HSAuint32 faulty_node;
static long fault_reason;

void fake_memory_fault(HSAuint32 node, long reason) {
    faulty_node = node;
    __atomic_store_n(&fault_reason, reason, __ATOMIC_RELEASE);
}

KMT hsaKmtCreateEvent(HsaEventDescriptor *wanted, bool manual, bool set, HsaEvent **event) {
    (void)manual, (void)set;
    *event = calloc(1, sizeof **event);
    if (!*event) return HSAKMT_STATUS_NO_MEMORY;
    (*event)->EventData.EventType = wanted->EventType;
    if (wanted->EventType == HSA_EVENTTYPE_MEMORY) memory_event = *event;
    return OK;
}

KMT hsaKmtDestroyEvent(HsaEvent *event) {
    if (event == memory_event) memory_event = NULL;
    free(event);
    return OK;
}

KMT hsaKmtSetEvent(HsaEvent *event) {
    (void)event;
    return OK;
}

static void note_fault(HsaEvent *event) {
    const long reason = __atomic_load_n(&fault_reason, __ATOMIC_ACQUIRE);
    if (event != memory_event || reason == 0) return;
    HsaMemoryAccessFault *fault = &event->EventData.EventData.MemoryAccessFault;
    fault->NodeId = faulty_node;
    fault->VirtualAddress = 0x1000;
    fault->Failure.NotPresent = 1;
    fault->Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
    fault_reason = 0;
}

void fake_wait(void **events, unsigned count) {
    const struct timespec moment = {0, 500000};
    nanosleep(&moment, NULL);
    for (unsigned i = 0; i < count; ++i) note_fault(events[i]);
}

KMT hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds) {
    void *events[] = {event};
    (void)milliseconds;
    fake_wait(events, 1);
    return OK;
}

KMT hsaKmtWaitOnMultipleEvents(HsaEvent **events, HSAuint32 count, bool all,
                               HSAuint32 milliseconds) {
    (void)all, (void)milliseconds;
    fake_wait((void **)events, count);
    return OK;
}
