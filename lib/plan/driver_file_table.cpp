#include "plan/driver_file_table.hpp"

namespace gantry::plan {
namespace {

constexpr FileKind kLibrary = FileKind::Library;
constexpr FileKind kBinary = FileKind::Binary;

constexpr DriverFileRow kRows[] = {
    // compute
    {kLibrary, "libcuda", true},
    {kLibrary, "libcudadebugger", false},
    {kLibrary, "libnvidia-opencl", false},
    {kLibrary, "libnvidia-gpucomp", false},
    {kLibrary, "libnvidia-ptxjitcompiler", false},
    {kLibrary, "libnvidia-fatbinaryloader", false},
    {kLibrary, "libnvidia-allocator", false},
    {kLibrary, "libnvidia-compiler", false},
    {kLibrary, "libnvidia-pkcs11", false},
    {kLibrary, "libnvidia-pkcs11-openssl3", false},
    {kLibrary, "libnvidia-nvvm", false},
    {kLibrary, "libnvidia-nvvm70", false},
    {kLibrary, "libnvidia-tileiras", false},
    {kBinary, "nvidia-cuda-mps-control", false},
    {kBinary, "nvidia-cuda-mps-server", false},
    // utility
    {kLibrary, "libnvidia-ml", true},
    {kLibrary, "libnvidia-cfg", false},
    {kLibrary, "libnvidia-nscq", false},
    {kBinary, "nvidia-smi", false},
    {kBinary, "nvidia-debugdump", false},
    {kBinary, "nvidia-persistenced", false},
};

}  // namespace

std::span<const DriverFileRow> driver_file_table() { return kRows; }

}  // namespace gantry::plan
