/* FAKE. Node 0 is a processor, each further one a GPU with memory of its own. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"

static const HSAuint64 kMemoryBytes = 1ULL << 33;

unsigned fake_gpu_count(void) { return (unsigned)fake_number("count", 1); }

const char *fake_gpu_target(void) {
    static _Thread_local char name[32];
    unsigned long length;
    const char *told = fake_text("gfx", &length);
    if (told) snprintf(name, sizeof name, "%.*s", (int)length, told);
    return told ? name : "gfx1030";
}

/* "gfx1030" is version 10, 3, 0: the last two are one digit each, in hexadecimal. */
static HSA_ENGINE_ID engine(void) {
    char *end;
    const unsigned long digits = strtoul(fake_gpu_target() + 3, &end, 16);
    HSA_ENGINE_ID id = {0};
    id.ui32.uCode = 100;
    id.ui32.Major = (digits >> 12) * 10 + (digits >> 8 & 15);
    id.ui32.Minor = digits >> 4 & 15;
    id.ui32.Stepping = digits & 15;
    return id;
}

KMT hsaKmtOpenKFD(void) { return (HSAKMT_STATUS)fake_enter("hsaKmtOpenKFD"); }

KMT hsaKmtCloseKFD(void) { return OK; }

KMT hsaKmtGetVersion(HsaVersionInfo *version) {
    /* To a KFD of version 1.0 the runtime speaks without interrupts, all in spinning. */
    *version = (HsaVersionInfo){1, 6};
    return OK;
}

KMT hsaKmtAcquireSystemProperties(HsaSystemProperties *system) {
    memset(system, 0, sizeof *system);
    system->NumNodes = 1 + fake_gpu_count();
    return (HSAKMT_STATUS)fake_enter("hsaKmtAcquireSystemProperties");
}

KMT hsaKmtReleaseSystemProperties(void) { return OK; }

KMT hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties *is) {
    memset(is, 0, sizeof *is);
    if (node == 0) {
        is->NumCPUCores = 2;
        is->NumMemoryBanks = 1;
        is->NumCaches = 1;
        return OK;
    }
    is->EngineId = engine();
    is->WaveFrontSize = is->EngineId.ui32.Major >= 10 ? 32 : 64;
    is->NumFComputeCores = 32;
    is->NumSIMDPerCU = 2;
    is->NumShaderBanks = is->NumArrays = 1;
    is->NumCUPerArray = 16;
    is->MaxWavesPerSIMD = 16;
    is->MaxSlotsScratchCU = 32;
    is->LDSSizeInKB = 64;
    is->NumMemoryBanks = 3;
    is->NumCaches = 1;
    is->NumIOLinks = 1;
    is->NumCpQueues = 8;
    is->Capability.ui32.DoorbellType = 2;
    is->FComputeIdLo = 0x80000000U + (node << 12);
    is->VendorId = 0x1002;
    is->DeviceId = 0x73bf;
    is->LocationId = (2 + node) << 8;
    is->DrmRenderMinor = (HSAint32)(127 + node);
    is->UniqueID = 0x1000 + node;
    is->LocalMemSize = kMemoryBytes;
    is->MaxEngineClockMhzFCompute = 2000;
    /* What is reserved in 5.2: later the number of compute dies (XCC), the KFD's number
     * of the GPU, and its family (amdgpu_drm.h: AI of gfx9, NV of gfx10). */
    const HSAuint32 later[] = {1, node, is->EngineId.ui32.Major >= 10 ? 143 : 141};
    memcpy((char *)is + offsetof(HsaNodeProperties, SGPRSizePerCU) + sizeof is->SGPRSizePerCU,
           later, sizeof later);
    const char *name = "Fake Radeon";
    for (unsigned i = 0; name[i] != '\0'; ++i) is->MarketingName[i] = (HSAuint16)name[i];
    return OK;
}

KMT hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 count, HsaMemoryProperties *bank) {
    memset(bank, 0, sizeof *bank * count);
    bank[0].SizeInBytes = kMemoryBytes;
    bank[0].HeapType = node == 0 ? HSA_HEAPTYPE_SYSTEM : HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC;
    if (node == 0) return OK;
    bank[1].HeapType = HSA_HEAPTYPE_GPU_LDS;
    bank[1].SizeInBytes = 65536;
    bank[1].VirtualBaseAddress = 1ULL << 48;
    bank[2].HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
    bank[2].SizeInBytes = 1 << 20;
    bank[2].VirtualBaseAddress = 2ULL << 48;
    return OK;
}

KMT hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32 processor, HSAuint32 count,
                                 HsaCacheProperties *cache) {
    memset(cache, 0, sizeof *cache * count);
    cache[0].ProcessorIdLow = processor;
    cache[0].CacheLevel = 1;
    cache[0].CacheSize = 16;
    cache[0].CacheLineSize = 64;
    cache[0].CacheType.ui32.Data = 1;
    cache[0].CacheType.ui32.CPU = node == 0;
    cache[0].CacheType.ui32.HSACU = node != 0;
    return OK;
}

KMT hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 count, HsaIoLinkProperties *link) {
    memset(link, 0, sizeof *link * count);
    link[0].IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
    link[0].NodeFrom = node;
    link[0].NodeTo = 0;
    link[0].Weight = 20;
    return OK;
}

KMT hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters *clocks) {
    (void)node;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    memset(clocks, 0, sizeof *clocks);
    clocks->GPUClockCounter = clocks->CPUClockCounter = clocks->SystemClockCounter =
        (HSAuint64)now.tv_sec * 1000000000U + (HSAuint64)now.tv_nsec;
    clocks->SystemClockFrequencyHz = 1000000000;
    return OK;
}

KMT hsaKmtGetTileConfig(HSAuint32 node, HsaGpuTileConfig *config) {
    (void)node;
    memset(config, 0, sizeof *config);
    return OK;
}
