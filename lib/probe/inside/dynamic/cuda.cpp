// What is checked through NVIDIA's driver library as a whole, before its GPUs
// are taken one by one.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/dynamic/cuda_driver.hpp"
#include "probe/inside/dynamic/cuda_gpu.hpp"
#include "probe/inside/dynamic/gemm_run.hpp"
#include "probe/inside/report_line.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

constexpr char kVendor[] = "nvidia";

// As sysfs writes it, which is what is compared: drivers differ in the case of
// their digits, and some write eight for the domain.
void normalize_pci(char* address) {
    for (char* c = address; *c != '\0'; ++c)
        if (*c >= 'A' && *c <= 'F') *c = static_cast<char>(*c - 'A' + 'a');
    const char* const colon = std::strchr(address, ':');
    if (!colon || colon - address <= 4) return;
    const char* from = colon - 4;
    if (std::strspn(address, "0") < static_cast<std::size_t>(from - address)) return;
    while ((*address++ = *from++) != '\0') {
    }
}

// The `device` line. False where the driver does not answer, or the GPU is none
// of those that were granted.
bool describe(const CudaDriver& driver, Grants& grants, int ordinal, CudaDevice& device,
              GpuReport& report) {
    char pci[32] = "", name[128] = "", target[16];
    int units = 0, major = 0, minor = 0;
    const struct {
        const char* call;
        CudaResult result;
    } answers[] = {
        {"cuDeviceGet", driver.device_get(&device, ordinal)},
        {"cuDeviceGetPCIBusId", driver.device_pci(pci, sizeof pci, device)},
        {"cuDeviceGetName", driver.device_name(name, sizeof name, device)},
        {"cuDeviceGetAttribute", driver.device_attribute(&units, kCudaMultiprocessors, device)},
        {"cuDeviceGetAttribute", driver.device_attribute(&major, kCudaCapabilityMajor, device)},
        {"cuDeviceGetAttribute", driver.device_attribute(&minor, kCudaCapabilityMinor, device)},
    };
    for (const auto& answer : answers)
        if (answer.result != kCudaSuccess) {
            report.failed(answer.call, answer.result, driver.name_of(answer.result));
            return false;
        }
    normalize_pci(pci);
    if (!grants.take(pci)) return false;
    std::snprintf(target, sizeof target, "sm_%d%d", major, minor);
    report.device(pci, target, units > 0 ? static_cast<unsigned>(units) : 0, name);
    return true;
}

void compute(const CudaDriver& driver, const Task& task, int count) {
    static CudaGpu gpus[kMaxGpus];
    unsigned found = 0;
    Grants grants(task);
    // The clients of an MPS daemon share one context of its server.
    const bool mps = std::getenv("CUDA_MPS_PIPE_DIRECTORY") != nullptr;
    for (int ordinal = 0; ordinal < count && found < kMaxGpus; ++ordinal) {
        GpuReport report(task.report_fd, kVendor, static_cast<unsigned>(ordinal));
        CudaDevice device = 0;
        if (!describe(driver, grants, ordinal, device, report)) continue;
        if (mps)
            report.busy(kBusyMps);
        else
            gpus[found++] = CudaGpu(&driver, device, report);
    }
    GemmRun<CudaGpu>(task, kVendor, gpus, found).run();
}

}  // namespace

void check_cuda_gpus(const Task& task) {
    constexpr const char* kNowhereElse[] = {nullptr};  // it is injected where the loader looks
    VendorLibrary library(task.report_fd, kVendor);
    if (!library.load("libcuda.so.1", kNowhereElse)) return;
    static CudaDriver driver;
    if (!library.get(driver.init, "cuInit")) return;
    library.report_loaded(reinterpret_cast<void*>(driver.init));
    if (!driver.get_calls(library)) return;

    send_stage(task.report_fd, "cuInit");
    if (const CudaResult error = driver.init(0); error != kCudaSuccess)
        return library.report_failed("cuInit", error, driver.name_of(error));

    int version = 0;
    if (driver.driver_version(&version) == kCudaSuccess) {
        char text[32];  // 1000 * major + 10 * minor
        std::snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        send_note(task.report_fd, "CUDA of the driver: ", text);
    }

    send_stage(task.report_fd, "cuDeviceGetCount");
    int count = 0;
    if (const CudaResult error = driver.device_count(&count); error != kCudaSuccess)
        return library.report_failed("cuDeviceGetCount", error, driver.name_of(error));
    ReportLine("devices").text(kVendor).number(count).send(task.report_fd);
    if (task.size > 0) compute(driver, task, count);
}

}  // namespace gantry::probe::inside
