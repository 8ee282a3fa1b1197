/* FAKE: code objects, of which only the kernels' names count. */
#include <string.h>

#include "code.h"
#include "hsa.h"

static const char *const kKernels[] = {"gantry_fill", "gantry_poison", "gantry_sgemm",
                                       "gantry_rowdot", "gantry_evidence"};
enum { KERNELS = sizeof kKernels / sizeof kKernels[0] };

const char *kernel_of(uint64_t object) {
    return object >= 1 && object <= KERNELS ? kKernels[object - 1] : NULL;
}

FAKE_EXPORT hsa_status_t hsa_code_object_reader_create_from_memory(const void *code_object,
                                                                   size_t size,
                                                                   hsa_reader_t *reader) {
    const hsa_status_t code = enter("hsa_code_object_reader_create_from_memory");
    if (code != SUCCESS) return code;
    if (size < 64 || memcmp(code_object, "\177ELF", 4) != 0) return INVALID_CODE_OBJECT;
    reader->handle = (uint64_t)(uintptr_t)code_object;
    return SUCCESS;
}

FAKE_EXPORT hsa_status_t hsa_code_object_reader_destroy(hsa_reader_t reader) {
    (void)reader;
    return enter("hsa_code_object_reader_destroy");
}

FAKE_EXPORT hsa_status_t hsa_executable_create_alt(unsigned profile, unsigned rounding,
                                                   const char *options,
                                                   hsa_executable_t *executable) {
    (void)profile, (void)rounding, (void)options;
    executable->handle = 1;
    return enter("hsa_executable_create_alt");
}

FAKE_EXPORT hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable,
                                                               hsa_agent_t agent,
                                                               hsa_reader_t reader,
                                                               const char *options, void *loaded) {
    (void)executable, (void)options, (void)loaded;
    const hsa_status_t code = enter("hsa_executable_load_agent_code_object");
    if (code != SUCCESS) return code;
    /* EI_ABIVERSION: 2 is version 4 of the format. */
    const unsigned char *elf = (const unsigned char *)(uintptr_t)reader.handle;
    if (elf[8] + 2 > fake_number("objects", 6)) return INVALID_CODE_OBJECT;
    return is_gpu(agent) ? SUCCESS : INVALID_AGENT;
}

FAKE_EXPORT hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char *options) {
    (void)executable, (void)options;
    return enter("hsa_executable_freeze");
}

FAKE_EXPORT hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
    (void)executable;
    return enter("hsa_executable_destroy");
}

FAKE_EXPORT hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                                           const char *name,
                                                           const hsa_agent_t *agent,
                                                           hsa_symbol_t *symbol) {
    (void)executable, (void)agent;
    const hsa_status_t code = enter("hsa_executable_get_symbol_by_name");
    if (code != SUCCESS) return code;
    for (unsigned i = 0; i < KERNELS; ++i) {
        const size_t length = strlen(kKernels[i]);
        if (strncmp(name, kKernels[i], length) != 0 || strcmp(name + length, ".kd") != 0) continue;
        symbol->handle = i + 1;
        return SUCCESS;
    }
    return INVALID_SYMBOL;
}

FAKE_EXPORT hsa_status_t hsa_executable_symbol_get_info(hsa_symbol_t symbol, unsigned attribute,
                                                        void *value) {
    enum { GROUP_BYTES = 13, PRIVATE_BYTES = 14, OBJECT = 22 };
    const hsa_status_t code = enter("hsa_executable_symbol_get_info");
    if (code != SUCCESS) return code;
    if (attribute == OBJECT) *(uint64_t *)value = symbol.handle;
    else if (attribute == GROUP_BYTES || attribute == PRIVATE_BYTES) *(uint32_t *)value = 0;
    else return INVALID_ARGUMENT;
    return SUCCESS;
}
