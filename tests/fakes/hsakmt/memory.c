/* FAKE. All memory is the process's own; every GPU may reach it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"

enum { MOST = 4096 };

static struct piece {
    char *begin;
    HSAuint64 size;
    HSAuint32 node;
    HsaMemFlags flags;
    void *user_data;
} pieces[MOST];
static HSAuint64 on_gpus; /* without scratch, which is but addresses until it is used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct piece *find(const void *address) {
    for (unsigned i = 0; i < MOST; ++i)
        if (pieces[i].begin && (const char *)address >= pieces[i].begin &&
            (const char *)address < pieces[i].begin + pieces[i].size)
            return &pieces[i];
    return NULL;
}

static int counts(HSAuint32 node, HsaMemFlags flags) {
    return node != 0 && !flags.ui32.Scratch;
}

static HSAKMT_STATUS take(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **address) {
    const HSAuint64 limit = (HSAuint64)fake_number("vram", 1L << 33);
    if (counts(node, flags) && on_gpus + size > limit) return HSAKMT_STATUS_NO_MEMORY;
    struct piece *piece = pieces;
    while (piece < pieces + MOST && piece->begin) ++piece;
    if (piece == pieces + MOST) return HSAKMT_STATUS_NO_MEMORY;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return HSAKMT_STATUS_NO_MEMORY;
    *piece = (struct piece){memory, size, node, flags, NULL};
    if (counts(node, flags)) on_gpus += size;
    *address = memory;
    return OK;
}

KMT hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **address) {
    pthread_mutex_lock(&lock);
    const HSAKMT_STATUS status = take(node, size, flags, address);
    pthread_mutex_unlock(&lock);
    return status;
}

KMT hsaKmtFreeMemory(void *address, HSAuint64 size) {
    pthread_mutex_lock(&lock);
    struct piece *piece = find(address);
    if (piece) {
        if (counts(piece->node, piece->flags)) on_gpus -= piece->size;
        piece->begin = NULL;
    }
    pthread_mutex_unlock(&lock);
    munmap(address, size);
    return OK;
}

KMT hsaKmtMapMemoryToGPU(void *address, HSAuint64 size, HSAuint64 *other) {
    (void)size;
    if (other) *other = (HSAuint64)address;
    return OK;
}

KMT hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size, HSAuint64 *other,
                              HsaMemMapFlags flags, HSAuint64 count, HSAuint32 *nodes) {
    (void)size, (void)flags, (void)count, (void)nodes;
    if (other) *other = (HSAuint64)address;
    return OK;
}

KMT hsaKmtUnmapMemoryToGPU(void *address) {
    (void)address;
    return OK;
}

KMT hsaKmtRegisterMemoryWithFlags(void *address, HSAuint64 size, HsaMemFlags flags) {
    (void)address, (void)size, (void)flags;
    return OK;
}

KMT hsaKmtDeregisterMemory(void *address) {
    (void)address;
    return OK;
}

KMT hsaKmtSetMemoryUserData(const void *address, void *data) {
    pthread_mutex_lock(&lock);
    struct piece *piece = find(address);
    if (piece) piece->user_data = data;
    pthread_mutex_unlock(&lock);
    return OK;
}

KMT hsaKmtQueryPointerInfo(const void *address, HsaPointerInfo *info) {
    static HSAuint32 nodes[] = {0, 1};
    memset(info, 0, sizeof *info);
    pthread_mutex_lock(&lock);
    const struct piece *piece = find(address);
    if (piece) {
        info->Type = HSA_POINTER_ALLOCATED;
        info->Node = piece->node;
        info->MemFlags = piece->flags;
        info->CPUAddress = piece->begin;
        info->GPUAddress = (HSAuint64)piece->begin;
        info->SizeInBytes = piece->size;
        info->UserData = piece->user_data;
        info->NMappedNodes = 2;
        info->MappedNodes = nodes;
    }
    pthread_mutex_unlock(&lock);
    return OK;
}

KMT hsaKmtSetMemoryPolicy(HSAuint32 node, HSAuint32 policy, HSAuint32 other, void *base,
                          HSAuint64 size) {
    (void)node, (void)policy, (void)other, (void)base, (void)size;
    return OK;
}
