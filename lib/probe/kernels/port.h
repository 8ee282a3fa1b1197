/*
 * What differs between the machines that kernels.c is compiled for: NVIDIA's
 * virtual one (PTX), AMD's GPUs, and a host that simulates a group of work-items
 * for the tests. No header of any toolkit: the builtins of clang are enough.
 */
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f4 __attribute__((vector_size(16)));

#if defined(__NVPTX__) || defined(__AMDGCN__)
#define GLOBAL __attribute__((address_space(1)))
#define INLINE static inline __attribute__((always_inline))
/* Memory of a group. It has no initial value on a GPU, and must not claim one. */
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#endif

#if defined(__NVPTX__)

#define KERNEL __attribute__((device_kernel)) void

INLINE u32 item(void) { return (u32)__nvvm_read_ptx_sreg_tid_x(); }
INLINE u32 group_x(void) { return (u32)__nvvm_read_ptx_sreg_ctaid_x(); }
INLINE u32 group_y(void) { return (u32)__nvvm_read_ptx_sreg_ctaid_y(); }
INLINE void barrier(void) { __syncthreads(); }
INLINE u64 reference_clock(void) { return (u64)__nvvm_read_ptx_sreg_globaltimer(); }
INLINE u64 cycle_clock(void) { return (u64)__nvvm_read_ptx_sreg_clock64(); }
INLINE u32 unit_number(void) {
    u32 unit;
    __asm__ volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    return unit;
}

#elif defined(__AMDGCN__)

#define KERNEL __attribute__((device_kernel, amdgpu_flat_work_group_size(256, 256))) void

INLINE u32 item(void) { return __builtin_amdgcn_workitem_id_x(); }
INLINE u32 group_x(void) { return __builtin_amdgcn_workgroup_id_x(); }
INLINE u32 group_y(void) { return __builtin_amdgcn_workgroup_id_y(); }
/* Orders the group's memory alone: a fence for all memory would throw away the
 * first cache on RDNA at each step of the product. */
INLINE void barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}
INLINE u64 reference_clock(void) { return __builtin_readsteadycounter(); }
INLINE u64 cycle_clock(void) { return __builtin_readcyclecounter(); }
/* s_getreg_b32: bits 5:0 of the operand are the register, 15:11 its width - 1.
 * HW_ID is register 4 up to gfx9, HW_ID1 register 23 from gfx10 on. */
INLINE u32 unit_number(void) {
#if defined(__GFX9__)
    return __builtin_amdgcn_s_getreg((31 << 11) | 4);
#else
    return __builtin_amdgcn_s_getreg((31 << 11) | 23);
#endif
}

#elif defined(GANTRY_SIMULATED_PORT)
#include GANTRY_SIMULATED_PORT
#else
#error "kernels.c is for GPUs; scripts/gen-kernels compiles it"
#endif
