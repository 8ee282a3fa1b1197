/* The dynamic part, as the linker made it. */
    .section .rodata
    .balign 16
    .globl gantry_dynamic_part
    .globl gantry_dynamic_part_end
    .hidden gantry_dynamic_part
    .hidden gantry_dynamic_part_end
gantry_dynamic_part:
    .incbin GANTRY_DYNAMIC_PART
gantry_dynamic_part_end:
    .section .note.GNU-stack,"",@progbits
