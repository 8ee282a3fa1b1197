#include "diagnosis/explanation.hpp"

namespace gantry::diagnosis {
namespace {

// cudaGetErrorString() of these codes, which frameworks print after "CUDA
// error:", and the names of hsa_status_t.
constexpr StatusSaying kStatusSayings[] = {
    {probe::Library::Cuda, 2, "out of memory"},
    {probe::Library::Cuda, 3, "initialization error"},
    {probe::Library::Cuda, 34, "CUDA driver is a stub library"},
    {probe::Library::Cuda, 46, "all CUDA-capable devices are busy or unavailable"},
    {probe::Library::Cuda, 46, "CUDA-capable device(s) is/are busy or unavailable"},
    {probe::Library::Cuda, 100, "no CUDA-capable device is detected"},
    {probe::Library::Cuda, 101, "invalid device ordinal"},
    {probe::Library::Cuda, 221, "PTX JIT compiler library not found"},
    {probe::Library::Cuda, 222, "the provided PTX was compiled with an unsupported toolchain"},
    {probe::Library::Cuda, 304, "OS call failed or operation not supported on this OS"},
    {probe::Library::Cuda, 802, "system not yet initialized"},
    {probe::Library::Cuda, 803, "system has unsupported display driver / cuda driver combination"},
    {probe::Library::Cuda, 804, "forward compatibility was attempted on non supported HW"},
    {probe::Library::Cuda, 805, "MPS client failed to connect to the MPS control daemon"},
    {probe::Library::Cuda, 999, "CUDA error: unknown error"},
    {probe::Library::Cuda, 999, "CUDA unknown error"},
    {probe::Library::Hsa, 0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
};

}  // namespace

std::span<const StatusSaying> status_sayings() { return kStatusSayings; }

}  // namespace gantry::diagnosis
