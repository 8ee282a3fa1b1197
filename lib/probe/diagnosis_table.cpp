#include "probe/diagnosis_table.hpp"

namespace gantry::probe {
namespace {

using enum Library;
using enum Code;

// Codes: hsa.h (HSA runtime 1.2), hsa_ext_amd.h, hip_runtime_api.h and cuda.h; those that the check's calls
// can answer with. At the time these are judged every
// granted node was opened, so the causes that an open would show come last.
constexpr Diagnosis kTable[] = {
    {Hsa, 0x1000, "ERROR", "compare the image's ROCm with the driver",
     "The runtime gave no reason; seen where its libdrm cannot use the render node."},
    {Hsa, 0x1008, "OUT_OF_RESOURCES", "free memory on this GPU (rocm-smi)",
     "The GPU's memory is used up, or the container's limit on locked memory is.",
     ProbeOutOfMemory, "hsa_amd_memory_pool_allocate"},
    // ROCR answers 0x1008 to nearly every failure of the layer below.
    {Hsa, 0x1008, "OUT_OF_RESOURCES", "check HSA_OVERRIDE_GFX_VERSION, ulimit -l",
     "The granted nodes opened, so this is an empty or malformed HSA_OVERRIDE_GFX_VERSION, "
     "another GPU's render node in the container that this user cannot open, or a limit on "
     "locked memory, processes or memory."},

    {Hsa, 0x1003, "INVALID_ALLOCATION", "free memory on this GPU (rocm-smi)",
     "The GPU does not have that much memory.", ProbeOutOfMemory},
    {Hsa, 0x100D, "INVALID_ISA", "check HSA_OVERRIDE_GFX_VERSION",
     "The runtime refuses the code of the very target that it names for this GPU."},
    {Hsa, 0x100F, "INVALID_ISA_NAME", "use a newer ROCm image",
     "Neither the target nor its family is among the kernels of the check."},
    {Hsa, 0x1010, "INVALID_CODE_OBJECT", "use a newer ROCm image",
     "The image's ROCm does not read the code for this GPU."},
    {Hsa, 0x1016, "EXCEPTION", "see dmesg on the host",
     "The GPU stopped the kernel: it is broken, or HSA_OVERRIDE_GFX_VERSION names a family "
     "whose code it cannot run.", ProbeGpuFault},
    {Hsa, 0x29, "MEMORY_APERTURE_VIOLATION", "see dmesg on the host",
     "The kernel reached memory that is not there: a broken GPU or a wrong override.",
     ProbeGpuFault},
    {Hsa, 0x2A, "ILLEGAL_INSTRUCTION", "check HSA_OVERRIDE_GFX_VERSION",
     "The GPU does not know an instruction of the target that it was said to be.",
     ProbeGpuFault},
    {Hsa, 0x2B, "MEMORY_FAULT", "see dmesg on the host",
     "A page fault on the GPU: a broken GPU or a wrong override.", ProbeGpuFault},

    {Hip, 2, "OutOfMemory", "free memory on this GPU (rocm-smi)",
     "The GPU's memory, or this container's memory limit, is used up.", ProbeOutOfMemory},
    {Hip, 3, "NotInitialized", "try amd-runtime = \"hsa\"",
     "HIP did not initialise; the layer below it may say why."},
    {Hip, 35, "InsufficientDriver", "compare the image's ROCm with the driver",
     "The kernel driver is older than the image's HIP asks for."},
    {Hip, 100, "NoDevice", "check ROCR_ and HIP_VISIBLE_DEVICES",
     "HIP shows no GPU: a variable hides all, or ROCm does not know this GPU."},
    // HIP 5.2 says so where hsa_init fails, for whatever reason.
    {Hip, 101, "InvalidDevice", "try amd-runtime = \"hsa\"",
     "The layer below HIP did not initialise; HSA tells more of it."},
    {Hip, 209, "NoBinaryForGpu", "check HSA_OVERRIDE_GFX_VERSION",
     "HIP finds no code for the target that it names for this GPU."},
    {Hip, 218, "InvalidKernelFile", "use another ROCm image",
     "The image's HIP does not read the code for this GPU."},
    {Hip, 303, "SharedObjectInitFailed", "use another ROCm image",
     "The image's HIP does not take code of this version, or for this target."},
    {Hip, 700, "IllegalAddress", "see dmesg on the host",
     "The kernel, which is known to be right, read a wrong address: a broken GPU or a wrong "
     "override.", ProbeGpuFault},
    {Hip, 719, "LaunchFailure", "see dmesg on the host",
     "The GPU stopped the kernel: a broken GPU or a wrong override.", ProbeGpuFault},
    {Hip, 999, "Unknown", "see dmesg on the host",
     "HIP gave no reason; the kernel's log may."},

    {Cuda, 2, "OUT_OF_MEMORY", "free memory on this GPU (nvidia-smi)",
     "The GPU's memory, or this container's memory limit, is used up.", ProbeOutOfMemory},
    {Cuda, 3, "NOT_INITIALIZED", "check nvidia-smi -q -d COMPUTE",
     "The driver did not initialise: compute mode prohibited, or the GPU is held exclusively."},
    {Cuda, 34, "STUB_LIBRARY", "take stubs off LD_LIBRARY_PATH",
     "The CUDA toolkit's link-time stub was loaded instead of the driver's libcuda."},
    {Cuda, 46, "DEVICE_UNAVAILABLE", "stop the process that holds the GPU",
     "Compute mode is exclusive or prohibited (nvidia-smi -q -d COMPUTE).", ProbeBusy},
    {Cuda, 100, "NO_DEVICE", "check CUDA_VISIBLE_DEVICES and nvidia-smi",
     "The driver shows no GPU: the variable hides all, or the GPU fell off the bus."},
    {Cuda, 101, "INVALID_DEVICE", "check CUDA_VISIBLE_DEVICES",
     "It names a GPU or MIG instance that this container was not granted."},
    {Cuda, 102, "DEVICE_NOT_LICENSED", "check the vGPU licence server",
     "The virtual GPU has no licence."},
    {Cuda, 200, "INVALID_IMAGE", "report this with the driver's version",
     "The driver refuses the check's kernels."},
    {Cuda, 209, "NO_BINARY_FOR_GPU", "use a GPU of Maxwell or later",
     "The GPU is older than the code that it was given."},
    {Cuda, 214, "ECC_UNCORRECTABLE", "see dmesg for Xid, replace the GPU",
     "The GPU's memory has an error that it cannot correct.", ProbeGpuFault},
    {Cuda, 218, "INVALID_PTX", "report this with the driver's version",
     "The driver refuses the check's kernels."},
    {Cuda, 220, "NVLINK_UNCORRECTABLE", "see dmesg for Xid on the host",
     "A link between GPUs has an error that it cannot correct.", ProbeGpuFault},
    {Cuda, 221, "JIT_COMPILER_NOT_FOUND", "inject libnvidia-ptxjitcompiler too",
     "The container has only a part of the driver's compute libraries."},
    {Cuda, 222, "UNSUPPORTED_PTX_VERSION", "update the NVIDIA driver",
     "The driver is older than the code that it was given."},
    {Cuda, 223, "JIT_COMPILATION_DISABLED", "unset CUDA_DISABLE_PTX_JIT",
     "The container's environment forbids the driver to compile."},
    {Cuda, 226, "CONTAINED", "see dmesg for Xid on the host",
     "The GPU contained a memory error and ended what used that memory.", ProbeGpuFault},
    {Cuda, 304, "OPERATING_SYSTEM", "check seccomp, AppArmor, device rules",
     "A system call of the driver library was refused though the granted nodes opened."},
    {Cuda, 700, "ILLEGAL_ADDRESS", "see dmesg for Xid on the host",
     "The kernel, which is known to be right, read a wrong address: a broken GPU.",
     ProbeGpuFault},
    {Cuda, 702, "LAUNCH_TIMEOUT", "see dmesg for Xid on the host",
     "The driver's watchdog ended the kernel: the GPU hangs, or drives a display and is busy.",
     ProbeGpuFault},
    {Cuda, 715, "ILLEGAL_INSTRUCTION", "see dmesg for Xid on the host",
     "The GPU stopped at code that it compiled for itself: a broken GPU.", ProbeGpuFault},
    {Cuda, 716, "MISALIGNED_ADDRESS", "see dmesg for Xid on the host",
     "The kernel, which is known to be right, read a wrong address: a broken GPU.",
     ProbeGpuFault},
    {Cuda, 717, "INVALID_ADDRESS_SPACE", "see dmesg for Xid on the host",
     "The kernel, which is known to be right, read a wrong address: a broken GPU.",
     ProbeGpuFault},
    {Cuda, 718, "INVALID_PC", "see dmesg for Xid on the host",
     "The GPU lost its place in the kernel: a broken GPU.", ProbeGpuFault},
    {Cuda, 719, "LAUNCH_FAILED", "see dmesg for Xid on the host",
     "The GPU stopped the kernel: a broken GPU, or one that fell off the bus.", ProbeGpuFault},
    {Cuda, 800, "NOT_PERMITTED", "see dmesg on the host",
     "MPS, confidential computing or a limit on profiling forbids the call."},
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
    {Cuda, 909, "TIMEOUT", "see dmesg for Xid on the host",
     "The driver waited in vain for the GPU.", ProbeGpuFault},
    {Cuda, 999, "UNKNOWN", "modprobe nvidia-uvm, see dmesg for Xid",
     "Seen where nvidia-uvm is not loaded or its node is stale, after suspend, and with a "
     "GPU that fell off the bus."},
};

}  // namespace

std::span<const Diagnosis> diagnosis_table() { return kTable; }

const Diagnosis* find_diagnosis(Library library, std::int64_t code, std::string_view call) {
    for (const Diagnosis& entry : kTable)
        if (entry.library == library && entry.code == code &&
            (entry.call.empty() || entry.call == call))
            return &entry;
    return nullptr;
}

}  // namespace gantry::probe
