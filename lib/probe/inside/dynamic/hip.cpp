// What is checked through AMD's HIP runtime as a whole, before its GPUs are taken
// one by one.
#include <cstdio>
#include <cstring>

#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/dynamic/gemm_run.hpp"
#include "probe/inside/dynamic/hip_gpu.hpp"
#include "probe/inside/dynamic/rocm_folders.hpp"
#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

constexpr char kVendor[] = "amd";
constexpr const char* kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                  "libamdhip64.so", nullptr};

// The `device` line. False where the GPU is none of those that were granted, or
// nothing can be computed on it.
bool describe(const HipRuntime& runtime, Grants& grants, int device, GpuReport& report,
              const CodeObject*& code_object) {
    char pci[32] = "", name[128] = "", target[32] = "";
    int units = 0;
    const struct {
        const char* call;
        HipResult result;
    } answers[] = {
        {"hipDeviceGetPCIBusId", runtime.device_pci(pci, sizeof pci, device)},
        {"hipDeviceGetName", runtime.device_name(name, sizeof name, device)},
        {"hipDeviceGetAttribute", runtime.device_attribute(&units, kHipMultiprocessors, device)},
        {"hipGetDeviceProperties", runtime.target(device, target)},
    };
    for (const auto& answer : answers)
        if (answer.result != kHipSuccess) {
            report.failed(answer.call, answer.result, runtime.name_of(answer.result));
            return false;
        }
    if (!grants.take(pci)) return false;
    report.device(pci, target, units > 0 ? static_cast<unsigned>(units) : 0, name);
    for (unsigned i = 0; i < code_object_count(); ++i)
        if (std::strcmp(code_objects()[i].isa, target) == 0) code_object = &code_objects()[i];
    if (!code_object) report.failed("hipModuleLoadData", kNoCodeObject, target);
    return code_object != nullptr;
}

void compute(const HipRuntime& runtime, const Task& task, int count) {
    static HipGpu gpus[kMaxGpus];
    unsigned found = 0;
    Grants grants(task);
    for (int device = 0; device < count && device < static_cast<int>(kMaxGpus); ++device) {
        GpuReport report(task.report_fd, kVendor, static_cast<unsigned>(device));
        const CodeObject* code_object = nullptr;
        if (describe(runtime, grants, device, report, code_object))
            gpus[found++] = HipGpu(&runtime, device, code_object, report);
    }
    GemmRun<HipGpu>(task, kVendor, gpus, found).run();
}

}  // namespace

void check_hip_gpus(const Task& task) {
    VendorLibrary library(task.report_fd, kVendor);
    if (!library.load(kNames, rocm_folders())) return;
    static HipRuntime runtime;
    if (!library.get(runtime.init, "hipInit")) return;
    library.report_loaded(reinterpret_cast<void*>(runtime.init));
    if (!runtime.get_calls(library)) return;

    send_stage(task.report_fd, "hipInit");
    if (const HipResult error = runtime.init(0); error != kHipSuccess)
        return library.report_failed("hipInit", error, runtime.name_of(error));
    int version = 0;
    if (runtime.runtime_version(&version) == kHipSuccess) {
        char text[32];  // 10000000 * major + 100000 * minor + patch
        std::snprintf(text, sizeof text, "%d.%d", version / 10000000, version / 100000 % 100);
        send_note(task.report_fd, "HIP runtime: ", text);
    }

    send_stage(task.report_fd, "hipGetDeviceCount");
    int count = 0;
    if (const HipResult error = runtime.device_count(&count); error != kHipSuccess)
        return library.report_failed("hipGetDeviceCount", error, runtime.name_of(error));
    ReportLine("devices").text(kVendor).number(count).send(task.report_fd);
    if (task.size > 0) compute(runtime, task, count);
}

}  // namespace gantry::probe::inside
