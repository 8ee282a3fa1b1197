/*
 * FAKE libcuda.so.1 for machines without a GPU: a test double that stands in
 * for NVIDIA's driver library and computes nothing. Told what to do by orders.h.
 */
#include <stddef.h>

#include "orders.h"

static int initialised;

FAKE_EXPORT int cuInit(unsigned flags) {
    (void)flags;
    int code = (int)fake_enter("cuInit");
    initialised = code == 0;
    return code;
}

FAKE_EXPORT int cuDriverGetVersion(int *version) {
    *version = 12020;
    return (int)fake_enter("cuDriverGetVersion");
}

FAKE_EXPORT int cuDeviceGetCount(int *count) {
    int code = (int)fake_enter("cuDeviceGetCount");
    if (code == 0 && !initialised) code = 3; /* CUDA_ERROR_NOT_INITIALIZED */
    if (code == 0) *count = (int)fake_count("/dev", "nvidia");
    return code;
}

FAKE_EXPORT int cuGetErrorName(int error, const char **name) {
    *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OF_THE_FAKE";
    return 0;
}
