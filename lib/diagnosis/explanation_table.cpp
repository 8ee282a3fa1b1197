#include "diagnosis/explanation.hpp"

namespace gantry::diagnosis {
namespace {

using enum Code;

// Literal texts are those of PyTorch, TensorFlow, NCCL and RCCL, rocminfo,
// rocBLAS, HIP, nvidia-smi, glibc and Docker.
constexpr Explanation kTable[] = {
    {ConfigInvalid, "configuration invalid",
     "The configuration, or a setting of this container, cannot be used.",
     "`config.toml` has an unknown key, a value of the wrong type or out of range, or is not TOML.\n"
     "It is no regular file, is larger than 1 MiB, or cannot be read.\n"
     "`GANTRY_CONFIG` is no absolute path.\n"
     "The annotation `gantry.gpu/probe` has another value than fail, warn and off.",
     "Correct the line that is named; gantry.toml(5) lists all keys.\n"
     "Containers that ask for no GPU start in the meantime.",
     ""},
    {ConfigUnsafe, "configuration unsafe",
     "`config.toml` can be written by others than root, so nothing of it is used.",
     "Its owner is another user, or its mode lets the group or everybody write.",
     "`chown root:root /etc/gantry/config.toml && chmod 644 /etc/gantry/config.toml`",
     ""},
    {RuntimeMissing, "no low-level runtime",
     "Neither runc nor crun was found.",
     "None of `runtime.paths` is an executable file, and none is in the usual folders.\n"
     "The one that was asked for by name (`gantry-crun`) is not installed.",
     "`apt-get install runc`, or name one in `[runtime] paths` of `/etc/gantry/config.toml`.",
     ""},
    {RuntimeFailed, "low-level runtime cannot be executed",
     "The low-level runtime is there and cannot be executed.",
     "It is of another architecture, is damaged, or its loader is missing.",
     "Install it again, or name another one in `[runtime] paths`.",
     ""},
    {IdInUse, "id in use",
     "The low-level runtime has a container of that id already, below the `--root` of the call.",
     "An earlier container was not deleted.",
     "Delete that one (`runc delete ID`), or use another id.",
     ""},
    {SpecTooLarge, "config.json too large",
     "`config.json`, or a document on standard input, is larger than 16 MiB.",
     "No engine writes one of that size.",
     "Find out who did, and make it smaller.",
     ""},
    {SpecTooDeep, "config.json nested too deep",
     "`config.json` is nested deeper than 256 levels.",
     "No engine writes one like that.",
     "Find out who did.",
     ""},
    {SpecMalformed, "config.json malformed",
     "`config.json` is not JSON, or a section that must be edited is of the wrong JSON type.",
     "It was written by hand, or not to its end.\n"
     "For what is not JSON, gantry-runtime(8) hands over unchanged, so that the low-level runtime's "
     "own words appear; gantryctl(1) and gantry-hook(8) stop with this code.",
     "Correct the place that is named.",
     ""},
    {SpecUnreadable, "config.json unreadable",
     "`config.json`, a document named on the command line, or the container's root folder cannot "
     "be opened or read.",
     "`root.path` leads nowhere.\n"
     "A file that the caller named (`--process`, `--resources`) is a link or no regular file.",
     "Give the folder that holds `config.json`, or correct the path.",
     ""},
    {SpecWrite, "config.json cannot be written",
     "The edited `config.json`, or its kept original, cannot be written.",
     "The disk is full, or the bundle's folder is read-only.",
     "Free space, or make the bundle's folder writable for root.",
     ""},
    {ArgumentsInvalid, "called wrongly",
     "A program of Gantry was called in a way that it does not know or take.",
     "The hook file names another stage than `precreate`.\n"
     "The id of a container that asks for a GPU is a path.",
     "Call the hook as `gantry-hook [--config FILE] precreate`.\n"
     "Ids have letters, digits and _ + - . alone.",
     ""},
    {StateUnusable, "state folder unusable",
     "`/run/gantry` (or `$XDG_RUNTIME_DIR/gantry`) cannot be used, or a step of its own that needs "
     "the machine failed.",
     "`/run` is full, read-only, or something else stands in its place.\n"
     "The folder is not this user's alone.\n"
     "A pipe could not be made, or `gantryctl debug` could not make its mounts.",
     "`df /run`, then make room there or make it writable.\n"
     "Run `gantryctl debug` as root.",
     ""},

    {SelectorMalformed, "request not understood",
     "`AMD_VISIBLE_DEVICES` or `NVIDIA_VISIBLE_DEVICES` is not understood.",
     "Quotes became part of the value: `-e 'AMD_VISIBLE_DEVICES=\"0\"'`.\n"
     "A blank stands between GPUs; `all`, `none` or `void` is mixed with GPUs; or there are commas "
     "alone.",
     "Write `all`, or indices, PCI addresses or ids with commas between them: "
     "`-e AMD_VISIBLE_DEVICES=0,1`.",
     ""},
    {SelectorUnknown, "no such GPU here",
     "The request is understood, and the host has no such GPU, or has it and cannot give it out.",
     "An index counts from 0, for each vendor by PCI address, and is not rocm-smi's or HIP's.\n"
     "The GPU is bound to another driver (vfio-pci), or its nodes are missing.",
     "`gantryctl list` shows the GPUs and why one is not usable.\n"
     "Use one of those that the message names.",
     "invalid device ordinal"},
    {NoGpu, "no usable GPU of that vendor",
     "The host has no usable GPU of that vendor, or the NVIDIA nodes in the spec belong to none.",
     "The vendor's kernel driver is not loaded.\n"
     "The image sets `NVIDIA_VISIBLE_DEVICES=all`, and the host has no NVIDIA GPU.",
     "`gantryctl list` says why a GPU is not usable.\n"
     "`modprobe amdgpu`, or `modprobe nvidia`, on the host.\n"
     "To run without: `-e AMD_VISIBLE_DEVICES=void`, `-e NVIDIA_VISIBLE_DEVICES=void`.",
     "ROCk module is NOT loaded, possibly no GPU devices\n"
     "Found no NVIDIA driver on your system\n"
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\n"
     "Could not find cuda drivers on your machine, GPU will not be used"},
    {KfdWithoutRender, "/dev/kfd without its render node",
     "`/dev/kfd` is passed to the container and no render node of an AMD GPU with it, or no AMD "
     "GPU stands behind it.",
     "`--device /dev/kfd` was given without `--device /dev/dri/renderD128`.\n"
     "The host's GPU is gone or is not amdgpu's, and `/dev/kfd` is there.",
     "`-e AMD_VISIBLE_DEVICES=0` instead of both options.\n"
     "Or add `--device /dev/dri/renderD128`, the number from `gantryctl list`.",
     "No HIP GPUs are available\n"
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
    {DeviceShadowed, "another device at a GPU's path",
     "The spec puts another device at the path of a GPU's node.",
     "A `--device A:B` option maps one GPU's node to the path of another.",
     "Remove that option, or map the node to its own path.",
     ""},
    {OverrideInvalid, "override that no ROCm accepts",
     "`HSA_OVERRIDE_GFX_VERSION` of the container would make ROCm find no GPU or crash on it.",
     "It is not MAJOR.MINOR.STEPPING in decimal: 10.3.0, not gfx1030; 9.0.10 for gfx90a.\n"
     "It is set and empty (`HSA_OVERRIDE_GFX_VERSION=${X:-}` in a compose file).\n"
     "It names another generation than the GPU's.",
     "Remove it: Gantry sets it for the GPUs that need it, as `gantryctl plan` shows.\n"
     "Or correct the value.",
     "No HIP GPUs are available\n"
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES\n"
     "Memory access fault by GPU node"},
    {MixedOverride, "GPUs that need different overrides",
     "The AMD GPUs that the container can open need different values of "
     "`HSA_OVERRIDE_GFX_VERSION`, and the image's ROCm knows one for all only.",
     "The ROCm in the image is older than 6.3, or was not found.",
     "Ask for one of them: `-e AMD_VISIBLE_DEVICES=0`.\n"
     "Or use an image with ROCm 6.3 or newer.",
     ""},

    {HostUnreadable, "host cannot be read",
     "`host-root` cannot be used, the description of a simulated host has a mistake, or the kernel "
     "does not tell of a GPU what is needed to know which one it is.",
     "It is no folder, or is `/` by another name.\n"
     "Its `nodes.json` has a mistake in the line that is named.\n"
     "A file that the kernel shows of a GPU cannot be read or is empty, and the container asks for "
     "that GPU, for all of them, or by an index that may be another GPU's. A request for another "
     "GPU by its PCI address or unique id is followed.",
     "Correct `host-root` in `/etc/gantry/config.toml`; `/` is this machine.\n"
     "`gantryctl list` names the file and the GPUs that are known; `dmesg` says what the driver "
     "met. Often the GPU fell off the bus or was reset: load its driver anew, or reboot.",
     ""},
    {DriverFilesMissing, "NVIDIA's driver files missing",
     "`libcuda.so` of the version of NVIDIA's kernel module is in none of the host's library "
     "folders, and no other toolkit has mounted one.",
     "The kernel module was updated and the libraries were not, or the other way round.\n"
     "A server package without the compute libraries is installed.\n"
     "The version cannot be read from `/proc/driver/nvidia/version`.",
     "`cat /proc/driver/nvidia/version`, then install the user-space driver of exactly that version.\n"
     "After an update of the driver: load its modules anew, or reboot.",
     "libcuda.so.1: cannot open shared object file\n"
     "libnvidia-ml.so.1: cannot open shared object file\n"
     "Failed to initialize NVML: Driver/library version mismatch\n"
     "Could not load dynamic library 'libcuda.so.1'"},

    {ProbeAccess, "device node cannot be used",
     "A granted device node does not open in the container, or its driver does not answer.",
     "`EACCES`: the user is not in the node's group; names of groups mean other numbers in the "
     "image. If mode and groups allow the user, a security module refuses. A group that the user "
     "namespace does not map is the third case.\n"
     "`EPERM`: the device cgroup lacks the rule, most often because something rewrote it "
     "(systemctl daemon-reload, an update of the container).\n"
     "`ENXIO`, or not as amdgpu's: no driver is behind the number.\n"
     "`ENODEV`, `EIO`: the driver is there, and the GPU is not or cannot be reached.\n"
     "`EBUSY`: another process holds the GPU, or it is being reset.\n"
     "missing: something is mounted over `/dev`.\n"
     "another number, or no device node: the image or a later edit of the spec put it there.\n"
     "ioctl refused: seccomp or a security module keeps the driver's version call away.",
     "`EACCES`: add the group by the number that the message gives: `--group-add 109`; in "
     "Kubernetes `supplementalGroups: [109]`; rootless Podman: `--group-add keep-groups` with crun.\n"
     "`EACCES` though the groups are right: `setsebool container_use_devices 1` (SELinux).\n"
     "`EPERM`: create the container again.\n"
     "`ENXIO`: `modprobe amdgpu`, `modprobe nvidia` or `modprobe nvidia-uvm` on the host.\n"
     "`ENODEV`, `EIO`: `dmesg` on the host.",
     "Unable to open /dev/kfd read-write\n"
     "is not member of \"render\" group\n"
     "No HIP GPUs are available\n"
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES\n"
     "Failed to initialize NVML: Insufficient Permissions"},
    {ProbeNoLibrary, "no GPU library in the image",
     "The image has no ROCm runtime that the check finds; a warning, for the device nodes are "
     "usable.",
     "It is no ROCm image.\n"
     "A program brings its own runtime in a folder that neither the loader nor `/opt/rocm*/lib` "
     "names; then all is well.",
     "Use an image with ROCm.",
     "libhsa-runtime64.so.1: cannot open shared object file\n"
     "libamdhip64.so"},
    {ProbeLibraryFailed, "GPU library does not initialise",
     "The vendor's library loads in the container and does not initialise.",
     "The status code in the message tells more: `gantryctl explain hsa 0x1008`, `gantryctl explain "
     "cuda 999`.\n"
     "ROCm answers 0x1008 for nearly everything, an empty `HSA_OVERRIDE_GFX_VERSION` first of all.\n"
     "The library is a test double of Gantry's tests, and the host is a real one.",
     "Do what the message says; it names the library that was loaded.\n"
     "`dmesg` on the host, for what the driver said.",
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES\n"
     "CUDA driver initialization failed, you might not have a CUDA gpu\n"
     "CUDA unknown error - this may be due to an incorrectly set up environment\n"
     "failed call to cuInit\n"
     "Failed to initialize NVML: Driver/library version mismatch"},
    {ProbeDeviceCount, "fewer GPUs counted than granted",
     "The vendor's library initialises and counts fewer GPUs than the container was granted.",
     "`CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` or `HIP_VISIBLE_DEVICES`, from the image or an "
     "old command line, names GPUs that are not in this container: inside, they count from 0.\n"
     "AMD: the image's ROCm is older than the GPU and drops it without a word.\n"
     "NVIDIA: the driver lost a GPU, or its MIG mode was changed.",
     "Remove these variables from the container.\n"
     "AMD: use a newer ROCm image.\n"
     "NVIDIA: `nvidia-smi` on the host; `dmesg`, for Xid.",
     "No HIP GPUs are available\n"
     "No CUDA GPUs are available\n"
     "no ROCm-capable device is detected\n"
     "could not initialize Tensile host: no devices found"},
    {ProbeHung, "GPU check hung",
     "The check did not end within `probe.timeout` and was killed; the message names the call it "
     "hung in.",
     "The GPU or its driver hangs.\n"
     "A cold NVIDIA driver initialises its GPUs, which takes seconds for each.",
     "`dmesg` on the host, then reset the GPU.\n"
     "`systemctl enable --now nvidia-persistenced`\n"
     "Raise `[probe] timeout` in `/etc/gantry/config.toml`.",
     "driver rpc error: timed out"},
    {ProbeStuck, "GPU check stuck",
     "The check hung and cannot be killed: the driver holds it in the kernel.",
     "The GPU hangs in a way that its driver does not recover from.",
     "`dmesg` on the host, for Xid, ring timeout or GPU reset.\n"
     "Reset the GPU or reboot; the check's container and cgroup stay until then.",
     ""},
    {ProbeCrashed, "GPU check crashed",
     "The check crashed, was killed by a signal, or ended early.",
     "The vendor's library crashed: library and driver do not fit.\n"
     "SIGKILL: the kernel's out-of-memory killer.\n"
     "SIGSYS: the container's seccomp profile.",
     "Compare the versions of library and driver.\n"
     "`dmesg` on the host.",
     ""},
    {ProbeGarbled, "GPU check's report makes no sense",
     "What came back is no report of the check, or leaves something out.",
     "Something in the image speaks in its name.\n"
     "`gantry-probe` is of another version than the program that started it.",
     "Install Gantry again; look at what the image preloads.",
     ""},
    {TwinFailed, "GPU check not made",
     "The low-level runtime did not start the check, or was killed meanwhile; this says nothing of "
     "the GPU.",
     "The runtime's own words are in the message: most often it would not have started the "
     "container either.",
     "Try it without the check: annotation `gantry.gpu/probe=off`, or `[probe] policy = \"off\"`.",
     ""},
    {ProbeMissing, "gantry-probe missing",
     "`gantry-probe` is not where it belongs, or no memory file could be made of it.",
     "Gantry is installed in part only.\n"
     "`vm.memfd_noexec` forbids programs in memory files.",
     "Install Gantry again.\n"
     "`sysctl vm.memfd_noexec`",
     ""},
    {ProbeWrongResult, "GPU computes wrong",
     "The GPU multiplied two matrices of whole numbers, and the product is wrong.",
     "Its memory, a compute unit or a link is broken; on a sound GPU every value of this product is "
     "exact. Scattered rows are memory or a link, a run of 128 rows is one unit.\n"
     "All of it wrong: no product was computed at all.",
     "Take the GPU out of use, and have it looked at.\n"
     "`dmesg` on the host.",
     ""},
    {ProbeCpuFallback, "a processor did the GPU's work",
     "The product is right, and took so much processor time that no GPU can have computed it.",
     "A stand-in for the vendor's library is in the image or is preloaded.",
     "See which library was loaded: the message names it.",
     ""},
    {ProbeGpuFault, "fault while the GPU computed",
     "The GPU or its driver reported a fault while it computed what is known to be right.",
     "The GPU is broken, or fell off the bus.\n"
     "AMD: `HSA_OVERRIDE_GFX_VERSION` names a family whose code the GPU cannot run.",
     "Remove the override from the container.\n"
     "`dmesg` on the host; NVIDIA: Xid in it.",
     "Memory access fault by GPU node\n"
     "an illegal memory access was encountered"},
    {ProbeSlow, "GPU slow",
     "The product is right, and came slower than the floor; a warning.",
     "Other users share the GPU, its clocks or its power are held down, or it is a small one.",
     "`nvidia-smi -q -d CLOCK,POWER`, `rocm-smi`, for clocks, power limit and users.\n"
     "Lower `[probe] min-gflops` in `/etc/gantry/config.toml`.",
     ""},
    {ProbeBusy, "GPU in use by others",
     "Nothing was computed, because others use the GPU; a warning, for its nodes are usable.",
     "Less than 2 GiB of its memory are free.\n"
     "NVIDIA: exclusive compute mode, or MPS.",
     "Nothing, if that is meant; else stop what holds the GPU.",
     "all CUDA-capable devices are busy or unavailable"},
    {ProbeOutOfMemory, "GPU's memory full",
     "The GPU's memory was used up before the check could compute; a warning.",
     "Other processes fill it.\n"
     "The container's limit on memory or on locked memory is low.",
     "`nvidia-smi` or `rocm-smi` on the host shows who fills it.",
     "CUDA out of memory\n"
     "HIP out of memory"},
    {ProbeNoLoader, "image without glibc",
     "The image has no glibc loader, so no GPU library can run in it; a warning, for the device "
     "nodes are usable.",
     "It is a musl image, or holds a static program alone.",
     "Use an image with glibc, if the program in it computes on the GPU.",
     ""},
    {ProbeLibraryMissing, "driver library does not load",
     "NVIDIA's `libcuda.so.1`, which Gantry puts into the container, does not load there; the "
     "loader's words are in the message.",
     "The image's glibc is older than the driver's libraries need.\n"
     "The driver files on the host are damaged or of another architecture.",
     "Use an image with a newer glibc.\n"
     "Install the driver on the host again.",
     "libcuda.so.1: cannot open shared object file\n"
     "GLIBC_2."},

    {std::nullopt, "no GPU in the container",
     "The container got no GPU, and nobody said so: programs then use the CPU.",
     "It was not started through Gantry, or asked for no GPU.\n"
     "`AMD_VISIBLE_DEVICES` or `NVIDIA_VISIBLE_DEVICES` is `void`, or the configuration does not let "
     "this container ask; Gantry's log says that.\n"
     "`CUDA_VISIBLE_DEVICES`, `HIP_VISIBLE_DEVICES` or `ROCR_VISIBLE_DEVICES` hides the GPU: they are "
     "read inside the container, where GPUs count from 0, and set and empty they hide all.",
     "`docker run --runtime gantry -e AMD_VISIBLE_DEVICES=0 IMAGE`\n"
     "`gantryctl ps` lists the containers that have a GPU by Gantry; `gantryctl why ID` tells what "
     "was done for one.",
     "No HIP GPUs are available\n"
     "No CUDA GPUs are available\n"
     "Found no NVIDIA driver on your system\n"
     "no CUDA-capable device is detected\n"
     "no ROCm-capable device is detected\n"
     "ROCk module is NOT loaded, possibly no GPU devices\n"
     "Unable to open /dev/kfd read-write\n"
     "Could not find cuda drivers on your machine, GPU will not be used"},
    {std::nullopt, "program built without GPU support",
     "The program in the image was built for the CPU alone; no device can change that.",
     "`pip install torch` took a build for the CPU.",
     "Use the image or the packages that its makers publish for CUDA or for ROCm. PyTorch for ROCm "
     "answers to the same names: `torch.cuda.is_available()`.",
     "Torch not compiled with CUDA enabled"},
    {std::nullopt, "image has no code for this GPU",
     "The GPU works, and the program in the image was not compiled for its kind.",
     "AMD: the image lacks the GPU's target (`gantryctl list` shows it, like gfx1031), and no "
     "override was set, or one of another generation.\n"
     "NVIDIA: the program is older than the GPU, or was built for newer ones alone.",
     "Use an image that was built for the GPU.\n"
     "AMD: remove your own `HSA_OVERRIDE_GFX_VERSION`; `gantryctl plan` shows which one Gantry sets. "
     "On MI100, MI200 and MI300 no override helps.",
     "hipErrorNoBinaryForGpu\n"
     "Unable to find code object for all current devices\n"
     "no kernel image is available for execution on the device\n"
     "invalid device function\n"
     "rocBLAS error: Cannot read\n"
     "TensileLibrary.dat\n"
     "HSA_STATUS_ERROR_INVALID_ISA"},
    {std::nullopt, "memory fault on the GPU",
     "A program on the GPU reached for memory that is not its own, and the driver ended it.",
     "`HSA_OVERRIDE_GFX_VERSION` names a kind that this GPU is not; on MI200 one of 10.3.0 does this "
     "at once.\n"
     "A fault of the program or of the hardware.",
     "Remove the override from the image's environment.\n"
     "`dmesg` on the host.",
     "Memory access fault by GPU node\n"
     "HSA_STATUS_ERROR_MEMORY_FAULT\n"
     "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION\n"
     "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION\n"
     "an illegal memory access was encountered"},
    {std::nullopt, "shared memory too small",
     "`/dev/shm` of the container is full: engines make it 64 MiB large, and data loaders, NCCL and "
     "RCCL need more.",
     "No size was given, which is the default of Docker, Podman and Kubernetes.",
     "`--shm-size 8g`, or `--ipc=host`; at least 1 GiB for each GPU.\n"
     "Kubernetes: mount an `emptyDir` with `medium: Memory` at `/dev/shm`.",
     "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory "
     "(shm)\n"
     "killed by signal: Bus error\n"
     "Bus error (core dumped)\n"
     "Error while creating shared memory segment\n"
     "NCCL WARN Call to posix_fallocate failed : No space left on device\n"
     "NCCL WARN Error: failed to extend /dev/shm/nccl-\n"
     "unable to open shared memory object"},
    {std::nullopt, "limit on locked memory",
     "The container may not lock as much memory as the network or the driver wants to.",
     "The limit of the engine (8 MiB is usual) goes on to the container; RDMA needs more.",
     "`--ulimit memlock=-1`",
     "Call to ibv_reg_mr\n"
     "ibv_reg_mr failed\n"
     "ibv_create_cq() failed: Cannot allocate memory"},
    {std::nullopt, "GPU lost while the container runs",
     "The GPU worked, and the running container can no longer open its nodes.",
     "`systemctl daemon-reload`, or an update of the container, wrote its device rules anew; devices "
     "that a hook added are not in what it was written from. Gantry puts them into the spec, so "
     "this comes from containers that were made without it.\n"
     "The driver was reloaded: `nvidia-uvm` has another number then.\n"
     "The GPU fell off the bus.",
     "Create the container again, by Gantry.\n"
     "`dmesg` on the host, for Xid.",
     "Failed to initialize NVML: Unknown Error\n"
     "NVML: Unknown Error"},
    {std::nullopt, "driver older than the program",
     "The program in the image needs a newer driver than the host has.",
     "The image's CUDA is newer than the host's driver.",
     "Update the driver on the host, or use an older image.",
     "The NVIDIA driver on your system is too old\n"
     "CUDA driver version is insufficient for CUDA runtime version"},
    {std::nullopt, "memory policy calls refused",
     "A warning without consequence for results: the default seccomp profiles keep these calls to "
     "containers with `CAP_SYS_NICE`.",
     "ROCm wants to place memory near its GPU; without it goes on.",
     "Ignore it, or `--cap-add SYS_NICE`.",
     "mbind: Operation not permitted\n"
     "set_mempolicy: Operation not permitted\n"
     "get_mempolicy: Operation not permitted"},
    {std::nullopt, "the engine's own refusal",
     "The engine refused before it called Gantry.",
     "`--gpus` needs NVIDIA's toolkit or a CDI spec.\n"
     "`--group-add render` is looked up in the image, which has no such group.\n"
     "A CDI name is not in any spec file of the host, or the file is old.",
     "`--runtime gantry -e NVIDIA_VISIBLE_DEVICES=all` instead of `--gpus all`.\n"
     "Leave `--group-add render` out: Gantry adds the group by its number.",
     "could not select device driver\n"
     "Unable to find group render: no matching entries in group file\n"
     "unresolvable CDI devices"},
};

}  // namespace

std::span<const Explanation> explanations() { return kTable; }

const Explanation* find_explanation(unsigned number) {
    for (const Explanation& row : kTable)
        if (row.code && static_cast<unsigned>(*row.code) == number) return &row;
    return nullptr;
}

}  // namespace gantry::diagnosis
