#include "probe/diagnosis_table.hpp"

namespace gantry::probe {
namespace {

using enum Library;

// Codes: hsa.h (HSA runtime 1.2) and cuda.h; those that the calls made so far can
// answer with. At the time these are judged every
// granted node was opened, so the causes that an open would show come last.
constexpr Diagnosis kTable[] = {
    {Hsa, 0x1000, "ERROR", "compare the image's ROCm with the driver",
     "The runtime gave no reason; seen where its libdrm cannot use the render node."},
    // ROCR answers 0x1008 to nearly every failure of the layer below.
    {Hsa, 0x1008, "OUT_OF_RESOURCES", "check HSA_OVERRIDE_GFX_VERSION, ulimit -l",
     "The granted nodes opened, so this is an empty or malformed HSA_OVERRIDE_GFX_VERSION, "
     "another GPU's render node in the container that this user cannot open, or a limit on "
     "locked memory, processes or memory."},

    {Cuda, 2, "OUT_OF_MEMORY", "free memory on this GPU (nvidia-smi)",
     "The GPU's memory, or this container's memory limit, is used up."},
    {Cuda, 3, "NOT_INITIALIZED", "check nvidia-smi -q -d COMPUTE",
     "The driver did not initialise: compute mode prohibited, or the GPU is held exclusively."},
    {Cuda, 34, "STUB_LIBRARY", "take stubs off LD_LIBRARY_PATH",
     "The CUDA toolkit's link-time stub was loaded instead of the driver's libcuda."},
    {Cuda, 46, "DEVICE_UNAVAILABLE", "stop the process that holds the GPU",
     "Compute mode is exclusive or prohibited (nvidia-smi -q -d COMPUTE)."},
    {Cuda, 100, "NO_DEVICE", "check CUDA_VISIBLE_DEVICES and nvidia-smi",
     "The driver shows no GPU: the variable hides all, or the GPU fell off the bus."},
    {Cuda, 101, "INVALID_DEVICE", "check CUDA_VISIBLE_DEVICES",
     "It names a GPU or MIG instance that this container was not granted."},
    {Cuda, 102, "DEVICE_NOT_LICENSED", "check the vGPU licence server",
     "The virtual GPU has no licence."},
    {Cuda, 221, "JIT_COMPILER_NOT_FOUND", "inject libnvidia-ptxjitcompiler too",
     "The container has only a part of the driver's compute libraries."},
    {Cuda, 222, "UNSUPPORTED_PTX_VERSION", "update the NVIDIA driver",
     "The driver is older than the code that it was given."},
    {Cuda, 223, "JIT_COMPILATION_DISABLED", "unset CUDA_DISABLE_PTX_JIT",
     "The container's environment forbids the driver to compile."},
    {Cuda, 304, "OPERATING_SYSTEM", "check seccomp, AppArmor, device rules",
     "A system call of the driver library was refused though the granted nodes opened."},
    {Cuda, 802, "SYSTEM_NOT_READY", "start nvidia-fabricmanager",
     "On NVSwitch machines the fabric manager must run in the driver's own version; with "
     "confidential computing the GPU must be set ready."},
    {Cuda, 803, "SYSTEM_DRIVER_MISMATCH", "reload the driver or remove old libcuda",
     "libcuda and the kernel module differ in version: the host was updated without a "
     "reload, or the image brings its own libcuda."},
    {Cuda, 804, "COMPAT_NOT_SUPPORTED_ON_DEVICE", "take cuda/compat off the path",
     "The image's forward-compatibility libcuda does not work with this GPU or driver."},
    {Cuda, 805, "MPS_CONNECTION_FAILED", "share the MPS pipe folder and IPC",
     "The MPS daemon cannot be reached (CUDA_MPS_PIPE_DIRECTORY, --ipc=host)."},
    {Cuda, 806, "MPS_RPC_FAILURE", "restart the MPS daemon",
     "The MPS daemon does not answer (CUDA_MPS_PIPE_DIRECTORY)."},
    {Cuda, 807, "MPS_SERVER_NOT_READY", "wait for the MPS daemon, try again",
     "The MPS daemon takes no clients just now."},
    {Cuda, 808, "MPS_MAX_CLIENTS_REACHED", "stop other MPS clients",
     "The MPS daemon serves as many clients as it can."},
    {Cuda, 809, "MPS_MAX_CONNECTIONS_REACHED", "stop other MPS clients",
     "The MPS daemon has as many connections as it can."},
    {Cuda, 810, "MPS_CLIENT_TERMINATED", "restart the MPS daemon",
     "The MPS daemon ended this client."},
    {Cuda, 999, "UNKNOWN", "modprobe nvidia-uvm, see dmesg for Xid",
     "Seen where nvidia-uvm is not loaded or its node is stale, after suspend, and with a "
     "GPU that fell off the bus."},
};

}  // namespace

std::span<const Diagnosis> diagnosis_table() { return kTable; }

const Diagnosis* find_diagnosis(Library library, std::int64_t code) {
    for (const Diagnosis& entry : kTable)
        if (entry.library == library && entry.code == code) return &entry;
    return nullptr;
}

}  // namespace gantry::probe
