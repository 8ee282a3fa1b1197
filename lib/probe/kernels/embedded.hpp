#pragma once
// The compiled kernels, as scripts/gen-kernels made them and `artifacts/` has them.
// No C++ library, no constructors: for the program in the container.

// PTX for every NVIDIA GPU from Maxwell on, as text with a zero at its end.
extern "C" const char gantry_ptx[];
extern "C" const unsigned gantry_ptx_size;  // without that zero

namespace gantry::probe {

// An ELF file for the GPUs of one instruction set, by the name that AMD's
// runtime gives it behind "amdgcn-amd-amdhsa--": "gfx1030", "gfx11-generic".
struct CodeObject {
    const char* isa;
    const unsigned char* data;
    unsigned size;
};

// Named ones first, then the generic ones, which fit a family but which runtimes
// before ROCm 6.4 refuse.
const CodeObject* code_objects();
unsigned code_object_count();

}  // namespace gantry::probe
