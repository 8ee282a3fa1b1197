/*
 * FAKE. What runtimes from 5.3 to 6.1 want besides. Without hsakmt.h, which in
 * older packages does not declare them.
 */
#include "../orders.h"
#include "events.h"

enum { SUCCESS = 0 }; /* HSAKMT_STATUS */

#define KMT_INT(name, parameters)      \
    FAKE_EXPORT int name parameters;   \
    FAKE_EXPORT int name parameters

KMT_INT(hsaKmtAvailableMemory, (unsigned node, unsigned long long *bytes)) {
    (void)node;
    *bytes = (unsigned long long)fake_number("free", 8192) << 20;
    return SUCCESS;
}

KMT_INT(hsaKmtGetRuntimeCapabilities, (unsigned *capabilities)) {
    *capabilities = 0;
    return SUCCESS;
}

/* libdrm's device: of this the runtime only keeps the address. */
KMT_INT(hsaKmtGetAMDGPUDeviceHandle, (unsigned node, void **device)) {
    static char devices[4096];
    (void)node;
    *device = devices;
    return SUCCESS;
}

KMT_INT(hsaKmtWaitOnEvent_Ext, (void *event, unsigned milliseconds, unsigned long long *age)) {
    (void)milliseconds, (void)age;
    fake_wait(&event, 1);
    return SUCCESS;
}

KMT_INT(hsaKmtWaitOnMultipleEvents_Ext, (void **events, unsigned count, _Bool all,
                                         unsigned milliseconds, unsigned long long *ages)) {
    (void)all, (void)milliseconds, (void)ages;
    fake_wait(events, count);
    return SUCCESS;
}
