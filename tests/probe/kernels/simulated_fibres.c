/* Work-items as contexts that take turns: each runs up to the next barrier. */
#include <stdint.h>

#include "simulation.h"

enum { STACK = 64 << 10 };

/* Keeps what a call keeps (System V ABI, AMD64) on the stack that is left, and goes
 * on where the other stack was left. swapcontext() would do, but asks the kernel
 * for the signal mask each time: a product changes stacks a million times. */
void simulated_switch(void **left, void *other);
__asm__(
    ".text\n"
    ".globl simulated_switch\n"
    ".type simulated_switch, @function\n"
    "simulated_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size simulated_switch, . - simulated_switch\n");

static char stacks[SIMULATED_BLOCK][STACK] __attribute__((aligned(64)));
static void *scheduler, *fibres[SIMULATED_BLOCK];
static int ended[SIMULATED_BLOCK];
static simulated_kernel running;
static void *const *running_arguments;

void simulated_barrier(int number) {
    if (number == simulated_left_out) return;
    const unsigned me = simulated_item;
    simulated_switch(&fibres[me], scheduler);
    simulated_item = me;
}

static void run_item(void) {
    running(running_arguments);
    ended[simulated_item] = 1;
    simulated_switch(&fibres[simulated_item], scheduler);
}

/* As if run_item had been called: %rsp + 8 is a multiple of 16 at its entry. */
static void *fresh_stack(char *stack) {
    void **top = (void **)(stack + STACK) - 2;
    *--top = 0; /* where run_item would return to; it never does */
    *--top = (void *)(uintptr_t)run_item;
    for (int saved = 0; saved < 6; ++saved) *--top = 0;
    return top;
}

static int run_group(void) {
    for (unsigned i = 0; i < SIMULATED_BLOCK; ++i) {
        ended[i] = 0;
        fibres[i] = fresh_stack(stacks[i]);
    }
    for (unsigned left = SIMULATED_BLOCK; left > 0;) {
        unsigned now = 0;
        for (unsigned i = 0; i < SIMULATED_BLOCK; ++i) {
            if (ended[i]) continue;
            simulated_item = i;
            simulated_switch(&scheduler, fibres[i]);
            now += (unsigned)ended[i];
        }
        if (now != 0 && now != left) return 1;
        left -= now;
    }
    return 0;
}

int simulate(simulated_kernel kernel, void *const *arguments, unsigned grid_x, unsigned grid_y) {
    running = kernel;
    running_arguments = arguments;
    for (unsigned y = 0; y < grid_y; ++y)
        for (unsigned x = 0; x < grid_x; ++x) {
            simulated_group_x = x;
            simulated_group_y = y;
            if (run_group() != 0) return 1;
        }
    return 0;
}
