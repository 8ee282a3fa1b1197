/*
 * FAKE. Which of the compiled kernels a packet means: the 64 bytes of its descriptor
 * (LLVM's AMDGPU guide, "Kernel Descriptor") lie in memory as the loader put them
 * there, and hold the distance to the code, which differs from kernel to kernel.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"

enum { DESCRIPTOR_BYTES = 64 };

/* The table that lib/probe/kernels/embedded.S makes. */
struct code_object {
    const char *isa;
    const unsigned char *data;
    unsigned size;
};
extern const struct code_object gantry_code_objects[];
extern const unsigned gantry_code_object_count;

static const char *find_symbol(const unsigned char *file, const void *descriptor) {
    const Elf64_Ehdr *elf = (const void *)file;
    const Elf64_Shdr *sections = (const void *)(file + elf->e_shoff);
    for (unsigned s = 0; s < elf->e_shnum; ++s) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const void *)(file + sections[s].sh_offset);
        const char *names = (const char *)file + sections[sections[s].sh_link].sh_offset;
        for (unsigned i = 0; i < sections[s].sh_size / sizeof *symbols; ++i) {
            const Elf64_Sym *symbol = &symbols[i];
            if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
                symbol->st_size != DESCRIPTOR_BYTES)
                continue;
            const Elf64_Shdr *home = &sections[symbol->st_shndx];
            const unsigned char *bytes =
                file + home->sh_offset + (symbol->st_value - home->sh_addr);
            if (memcmp(bytes, descriptor, DESCRIPTOR_BYTES) == 0) return names + symbol->st_name;
        }
    }
    return NULL;
}

const char *fake_kernel_name(const void *descriptor) {
    static _Thread_local char name[64];
    for (unsigned i = 0; i < gantry_code_object_count; ++i) {
        if (strcmp(gantry_code_objects[i].isa, fake_gpu_target()) != 0) continue;
        const char *found = find_symbol(gantry_code_objects[i].data, descriptor);
        if (!found) return NULL;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(found, "."), found);
        return name;
    }
    return NULL;
}
