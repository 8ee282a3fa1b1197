/*
 * Entry of the dynamic part. The C library's own start file asks for
 * __libc_start_main@GLIBC_2.34, which images of before 2022 do not have; the
 * one bound here is in every glibc of this architecture, for compatibility.
 *
 * System V ABI, AMD64 supplement, 3.4.1: at entry %rsp points to argc, %rdx
 * holds the function the loader wants to be called at exit.
 *
 * init and fini are null: the dynamic part has no constructors (newer glibc
 * would run them by itself, older ones would not).
 */
    .text
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    xorl %ebp, %ebp
    movq %rdx, %r9                      /* rtld_fini */
    popq %rsi                           /* argc */
    movq %rsp, %rdx                     /* argv */
    andq $-16, %rsp
    pushq %rax                          /* keeps the alignment */
    pushq %rsp                          /* stack_end */
    xorl %r8d, %r8d                     /* fini */
    xorl %ecx, %ecx                     /* init */
    leaq main(%rip), %rdi
    call *__libc_start_main@GOTPCREL(%rip)
    hlt
    .cfi_endproc
    .size _start, . - _start
    .symver __libc_start_main, __libc_start_main@GLIBC_2.2.5
    .section .note.GNU-stack,"",@progbits
