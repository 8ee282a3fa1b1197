/* The files of artifacts/ and the table of the code objects (embedded.hpp). */
    .macro code_object isa:req, version
    .section .rodata.gantry_kernels, "a", @progbits
5:  .asciz "\isa"
    .balign 16
6:  .incbin "\isa\().hsaco"
7:
    .section .data.rel.ro.gantry_kernels, "aw", @progbits
    .quad 5b, 6b
    .long 7b - 6b, 0
    .endm

    .section .rodata.gantry_kernels, "a", @progbits
    .globl gantry_ptx, gantry_ptx_size
    .hidden gantry_ptx, gantry_ptx_size
gantry_ptx:
    .incbin "kernels.ptx"
1:  .byte 0
    .balign 4
gantry_ptx_size:
    .long 1b - gantry_ptx

    .section .data.rel.ro.gantry_kernels, "aw", @progbits
    .balign 8
    .globl gantry_code_objects, gantry_code_object_count
    .hidden gantry_code_objects, gantry_code_object_count
gantry_code_objects:
#include "probe/kernels/targets.inc"
8:
gantry_code_object_count:
    .long (8b - gantry_code_objects) / 24

    .section .note.GNU-stack, "", @progbits
