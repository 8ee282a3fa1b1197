/* Every access of a work-item, checked. */
#include <string.h>

#include "machine.h"

/* Between two barriers a word of shared memory may be read by many, or be
 * touched by one alone: no order is promised within a group. */
static int check_shared(struct ptx_machine *machine, const struct ptx_instruction *at, u32 item,
                        u32 first, u32 words, int writes) {
    const u32 now = machine->epoch << SEEN_BITS, me = now | item;
    for (u32 i = first; i < first + words; ++i) {
        const u32 written = machine->written[i], read = machine->read[i];
        if (written >= now && written != me)
            return ptx_fault(machine, PTX_RACE, at, item,
                             "shared memory that another work-item writes, no barrier between");
        if (!writes) {
            if (written == 0)
                return ptx_fault(machine, PTX_RACE, at, item, "shared memory that nobody wrote");
            machine->read[i] = read < now || read == me ? me : now | SEVERAL;
            continue;
        }
        if (read >= now && read != me)
            return ptx_fault(machine, PTX_RACE, at, item,
                             "shared memory that another work-item reads, no barrier between");
        machine->written[i] = me;
    }
    return 1;
}

static int in_range(const struct ptx_range *range, u64 address, u64 bytes) {
    return address >= range->begin && address < range->end && bytes <= range->end - address;
}

unsigned char *ptx_place(struct ptx_machine *machine, const struct ptx_instruction *at, u32 item,
                         u64 address, int writes) {
    const u32 bytes = at->count * at->words * 4u;
    if (address % bytes != 0) {
        ptx_fault(machine, PTX_MISALIGNED, at, item, "an address that is not aligned");
        return NULL;
    }
    if (at->shared) {
        const u32 size = machine->kernel->shared_bytes;
        if (address < SHARED_BASE || address >= size || bytes > size - address) {
            ptx_fault(machine, PTX_ILLEGAL_ADDRESS, at, item, "outside of the shared memory");
            return NULL;
        }
        return check_shared(machine, at, item, (u32)address / 4, bytes / 4, writes)
                   ? machine->shared + address
                   : NULL;
    }
    if (!in_range(&machine->last_range, address, bytes)) {
        unsigned i = 0;
        while (i < machine->launch->ranges &&
               !in_range(&machine->launch->memory[i], address, bytes))
            ++i;
        if (i == machine->launch->ranges) {
            ptx_fault(machine, PTX_ILLEGAL_ADDRESS, at, item, "no memory of the kernel");
            return NULL;
        }
        machine->last_range = machine->launch->memory[i];
    }
    /* The fake's device memory is memory of its process. */
    unsigned char *place;
    memcpy(&place, &address, sizeof place);
    return place;
}
