// Stable error codes. A number, once published, keeps its meaning; the hundreds
// say where to look: 1 Gantry's own set-up and the bundle, 2 the request,
// 3 the host, 4 the GPU check.
#pragma once

#include <cstdint>
#include <string>

namespace gantry {

enum class Code : std::uint16_t {
    ConfigInvalid = 101,      // config.toml: unknown key, wrong type, not TOML
    ConfigUnsafe = 102,       // config.toml can be written by others than root
    RuntimeMissing = 110,     // no low-level runtime found
    RuntimeFailed = 111,      // the low-level runtime could not be executed
    IdInUse = 112,            // the low-level runtime has a container of that id
    SpecTooLarge = 120,       // config.json over the size limit
    SpecTooDeep = 121,        // config.json nested over the depth limit
    SpecMalformed = 122,      // config.json is not JSON
    SpecUnreadable = 123,     // config.json cannot be opened or read
    SpecWrite = 124,          // edited config.json cannot be written
    ArgumentsInvalid = 130,   // gantryctl or gantry-hook called wrongly
    StateUnusable = 131,      // /run/gantry cannot be used

    SelectorMalformed = 201,  // AMD_VISIBLE_DEVICES and the like: not in the grammar
    SelectorUnknown = 202,    // well formed, but no such GPU here
    NoGpu = 203,              // the vendor has no usable GPU on this host
    KfdWithoutRender = 204,   // /dev/kfd in the spec, no amdgpu render node with it
    DeviceShadowed = 205,     // a spec entry puts another device at a GPU's path
    OverrideInvalid = 206,    // HSA_OVERRIDE_GFX_VERSION that no ROCm accepts
    MixedOverride = 207,      // granted GPUs need different overrides, image too old

    HostUnreadable = 301,     // sysfs, procfs or /dev could not be read
    DriverFilesMissing = 303, // NVIDIA driver libraries not found or wrong version

    ProbeAccess = 401,        // a granted node cannot be opened in the container
    ProbeNoLibrary = 402,     // the image lacks the GPU library that it must bring
    ProbeLibraryFailed = 403, // the GPU library loads but does not initialise
    ProbeDeviceCount = 404,   // the GPU library sees another number of GPUs
    ProbeHung = 405,          // deadline passed, the check was killed
    ProbeStuck = 406,         // … and could not be killed
    ProbeCrashed = 407,       // the check died of a signal
    ProbeGarbled = 408,       // the check answered something that is no report
    TwinFailed = 409,         // the low-level runtime failed before the check began
    ProbeMissing = 410,       // gantry-probe is not installed where it belongs
    ProbeWrongResult = 411,   // the GPU's product of two matrices is wrong
    ProbeCpuFallback = 412,   // a processor computed it
    ProbeGpuFault = 413,      // the GPU or its driver reported a fault while it computed
    ProbeSlow = 414,          // right, but slower than the floor
    ProbeBusy = 415,          // in use by others, so nothing was computed on it
    ProbeOutOfMemory = 416,   // its memory is full
    ProbeNoLoader = 417,      // the image can run no GPU library at all
    ProbeLibraryMissing = 418, // the injected driver library does not load
};

// "GTY-202"
[[nodiscard]] std::string to_string(Code code);

}  // namespace gantry
