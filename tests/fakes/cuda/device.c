/* FAKE: the driver and its devices. */
#include <stdio.h>
#include <string.h>

#include "cuda.h"

static int initialised;

int is_initialised(void) { return __atomic_load_n(&initialised, __ATOMIC_ACQUIRE); }

static int device_count(void) {
    const unsigned count = fake_count("/dev", "nvidia");
    return count < MOST_DEVICES ? (int)count : MOST_DEVICES;
}

static CUresult enter_device(const char *call, int device) {
    const CUresult code = (CUresult)fake_enter(call);
    if (code != SUCCESS) return code;
    if (!is_initialised()) return NOT_INITIALIZED;
    return device >= 0 && device < device_count() ? SUCCESS : INVALID_DEVICE;
}

FAKE_EXPORT CUresult cuInit(unsigned flags) {
    const CUresult code = (CUresult)fake_enter("cuInit");
    if (code == SUCCESS && flags != 0) return INVALID_VALUE;
    __atomic_store_n(&initialised, code == SUCCESS, __ATOMIC_RELEASE);
    return code;
}

FAKE_EXPORT CUresult cuDriverGetVersion(int *version) {
    *version = 12020;
    return (CUresult)fake_enter("cuDriverGetVersion");
}

FAKE_EXPORT CUresult cuDeviceGetCount(int *count) {
    CUresult code = (CUresult)fake_enter("cuDeviceGetCount");
    if (code == SUCCESS && !is_initialised()) code = NOT_INITIALIZED;
    if (code == SUCCESS) *count = device_count();
    return code;
}

FAKE_EXPORT CUresult cuDeviceGet(int *device, int ordinal) {
    const CUresult code = enter_device("cuDeviceGet", ordinal);
    if (code == SUCCESS) *device = ordinal;
    return code;
}

FAKE_EXPORT CUresult cuDeviceGetName(char *name, int size, int device) {
    const CUresult code = enter_device("cuDeviceGetName", device);
    if (code != SUCCESS) return code;
    size_t length;
    const char *told = fake_text("name", &length);
    if (told) snprintf(name, (size_t)size, "%.*s", (int)length, told);
    else snprintf(name, (size_t)size, "Fake GPU");
    return SUCCESS;
}

FAKE_EXPORT CUresult cuDeviceGetPCIBusId(char *address, int size, int device) {
    const CUresult code = enter_device("cuDeviceGetPCIBusId", device);
    if (code != SUCCESS) return code;
    size_t length;
    const char *told = fake_text("pci", &length);
    for (int skipped = 0; told && skipped < device; ++skipped) {
        const char *next = memchr(told, ';', length);
        if (next) length -= (size_t)(next + 1 - told);
        told = next ? next + 1 : NULL;
    }
    if (told) {
        const char *end = memchr(told, ';', length);
        snprintf(address, (size_t)size, "%.*s", end ? (int)(end - told) : (int)length, told);
    } else {
        snprintf(address, (size_t)size, "0000:%02x:00.0", (unsigned)device + 1);
    }
    return SUCCESS;
}

FAKE_EXPORT CUresult cuDeviceGetUuid_v2(unsigned char (*uuid)[16], int device) {
    const CUresult code = enter_device("cuDeviceGetUuid", device);
    if (code != SUCCESS) return code;
    memset(*uuid, 0xfa, sizeof *uuid);
    (*uuid)[15] = (unsigned char)device;
    return SUCCESS;
}

/* CUdevice_attribute in cuda.h. */
FAKE_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    const CUresult code = enter_device("cuDeviceGetAttribute", device);
    if (code != SUCCESS) return code;
    switch (attribute) {
    case 1: *value = 1024; break; /* MAX_THREADS_PER_BLOCK */
    case 10: *value = 32; break;  /* WARP_SIZE */
    case 16: *value = (int)fake_number("units", PTX_UNITS); break;
    case 20: *value = (int)fake_number("mode", 0); break;
    case 75: *value = (int)fake_number("sm", 90) / 10; break;
    case 76: *value = (int)fake_number("sm", 90) % 10; break;
    default: *value = 0;
    }
    return SUCCESS;
}

FAKE_EXPORT CUresult cuGetErrorName(CUresult error, const char **name) {
    *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OF_THE_FAKE";
    return SUCCESS;
}

FAKE_EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
    *text = error == 100 ? "no CUDA-capable device is detected" : "an error of the fake";
    return SUCCESS;
}

struct context *context_of(int device) {
    static struct context contexts[MOST_DEVICES];
    return device >= 0 && device < device_count() ? &contexts[device] : NULL;
}
