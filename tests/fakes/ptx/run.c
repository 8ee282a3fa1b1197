/* Groups, one after the other; barriers; the launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

int ptx_fault(struct ptx_machine *machine, enum ptx_outcome outcome,
              const struct ptx_instruction *at, u32 item, const char *what) {
    if (machine->outcome == PTX_DONE && machine->log_size > 0)
        snprintf(machine->log, machine->log_size, "%s, line %u, group %u,%u, work-item %u: %s",
                 machine->kernel->name, at ? at->line : 0, machine->group_x, machine->group_y,
                 item, what);
    machine->outcome = outcome;
    return 0;
}

/* A GPU promises nothing of what is in its registers at the beginning: a kernel
 * that relies on zeros shall not pass. */
static void begin_group(struct ptx_machine *machine) {
    const struct ptx_kernel *kernel = machine->kernel;
    for (u32 w = 0; w < machine->warps; ++w) {
        struct ptx_warp *warp = &machine->warp[w];
        memset(warp->pc, 0, sizeof warp->pc);
        memset(warp->predicates, 0x5a, (kernel->predicates + 1) * sizeof(u32));
        const u32 own32 = kernel->registers32 - kernel->constant_count32;
        const u32 own64 = kernel->registers64 - kernel->constant_count64;
        memset(warp->registers32, 0xde, (size_t)own32 * LANES * sizeof(u32));
        memset(warp->registers64, 0xde, (size_t)own64 * LANES * sizeof(u64));
        warp->live = ~0u;
        warp->waiting = 0;
    }
    memset(machine->written, 0, kernel->shared_bytes + 4);
    memset(machine->read, 0, kernel->shared_bytes + 4);
    machine->epoch = 1;
    machine->steps = 0;
}

static void set_constants(const struct ptx_kernel *kernel, struct ptx_warp *warp) {
    for (u32 i = 0; i < kernel->constant_count32; ++i)
        for (u32 lane = 0; lane < LANES; ++lane)
            warp->registers32[(size_t)kernel->constants32[i].index * LANES + lane] =
                (u32)kernel->constants32[i].value;
    for (u32 i = 0; i < kernel->constant_count64; ++i)
        for (u32 lane = 0; lane < LANES; ++lane)
            warp->registers64[(size_t)kernel->constants64[i].index * LANES + lane] =
                kernel->constants64[i].value;
}

/* All of the group at one barrier, or all of it at the end. True: it goes on. */
static int pass_barrier(struct ptx_machine *machine) {
    const u32 none = ~0u;
    u32 at = none, ended = 0, waiting = 0;
    for (u32 w = 0; w < machine->warps; ++w) {
        struct ptx_warp *warp = &machine->warp[w];
        for (u32 lane = 0; lane < LANES; ++lane) {
            if (!(warp->live >> lane & 1)) {
                ++ended;
                continue;
            }
            ++waiting;
            if (at == none) at = warp->pc[lane];
            if (at != warp->pc[lane])
                return ptx_fault(machine, PTX_BAD_BARRIER, &machine->kernel->code[at - 1],
                                 warp->first + lane, "waits at another barrier than others");
        }
        warp->waiting = 0;
    }
    if (waiting == 0) return 0;
    if (ended > 0)
        return ptx_fault(machine, PTX_BAD_BARRIER, &machine->kernel->code[at - 1], 0,
                         "a barrier that not every work-item reaches");
    if (++machine->epoch == 1u << (32 - SEEN_BITS))
        return ptx_fault(machine, PTX_ENDLESS, &machine->kernel->code[at - 1], 0,
                         "more barriers than can be counted");
    return 1;
}

static void run_group(struct ptx_machine *machine) {
    begin_group(machine);
    do {
        for (u32 w = 0; w < machine->warps && machine->outcome == PTX_DONE; ++w)
            ptx_run_warp(machine, &machine->warp[w]);
    } while (machine->outcome == PTX_DONE && pass_barrier(machine));
}

static void *need(size_t size) {
    void *memory = calloc(1, size);
    if (!memory) abort();
    return memory;
}

static void set_up(struct ptx_machine *machine) {
    const struct ptx_kernel *kernel = machine->kernel;
    machine->shared = need(kernel->shared_bytes + 4);
    machine->written = need(kernel->shared_bytes + 4);
    machine->read = need(kernel->shared_bytes + 4);
    machine->parameters = need(kernel->parameter_bytes + 8);
    for (u32 i = 0; i < kernel->parameters; ++i)
        memcpy(machine->parameters + kernel->parameter_at[i], machine->launch->arguments[i],
               kernel->parameter_size[i]);
    for (u32 w = 0; w < machine->warps; ++w) {
        struct ptx_warp *warp = &machine->warp[w];
        warp->first = w * LANES;
        warp->registers32 = need((size_t)(kernel->registers32 + 1) * LANES * sizeof(u32));
        warp->registers64 = need((size_t)(kernel->registers64 + 1) * LANES * sizeof(u64));
        warp->predicates = need((kernel->predicates + 1) * sizeof(u32));
        set_constants(kernel, warp);
    }
}

static void tear_down(struct ptx_machine *machine) {
    free(machine->shared);
    free(machine->written);
    free(machine->read);
    free(machine->parameters);
    for (u32 w = 0; w < machine->warps; ++w) {
        free(machine->warp[w].registers32);
        free(machine->warp[w].registers64);
        free(machine->warp[w].predicates);
    }
}

enum ptx_outcome ptx_run(const struct ptx_kernel *kernel, const struct ptx_launch *launch,
                         char *log, size_t log_size) {
    struct ptx_machine machine = {.kernel = kernel,
                                  .launch = launch,
                                  .warps = launch->block / LANES,
                                  .outcome = PTX_DONE,
                                  .log = log,
                                  .log_size = log_size};
    if (launch->block == 0 || launch->block % LANES != 0 || machine.warps > MOST_WARPS ||
        launch->grid_x == 0 || launch->grid_y == 0) {
        ptx_fault(&machine, PTX_BAD_LAUNCH, NULL, 0, "a grid or block of no use");
        return machine.outcome;
    }
    set_up(&machine);
    for (u32 y = 0; y < launch->grid_y && machine.outcome == PTX_DONE; ++y)
        for (u32 x = 0; x < launch->grid_x && machine.outcome == PTX_DONE; ++x) {
            machine.group_x = x;
            machine.group_y = y;
            run_group(&machine);
        }
    tear_down(&machine);
    return machine.outcome;
}
