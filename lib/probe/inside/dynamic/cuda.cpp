// NVIDIA's driver library. Own declarations of the few calls, so that building
// needs no CUDA toolkit: the driver API of cuda.h keeps these forms since 2.0
// (cuGetErrorName since 6.0).
#include <cstdio>

#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/dynamic/library.hpp"
#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

using CudaResult = int;

struct Driver {
    CudaResult (*init)(unsigned flags);
    CudaResult (*version)(int* version);
    CudaResult (*count)(int* count);
    CudaResult (*error_name)(CudaResult error, const char** name);
};

const char* name_of(const Driver& driver, CudaResult error) {
    const char* name = nullptr;
    return driver.error_name && driver.error_name(error, &name) == 0 ? name : nullptr;
}

}  // namespace

void count_cuda_devices(int report_fd) {
    constexpr const char* kNowhereElse[] = {nullptr};  // it is injected where the loader looks
    VendorLibrary library(report_fd, "nvidia");
    if (!library.load("libcuda.so.1", kNowhereElse)) return;

    Driver driver = {};
    if (!library.get(driver.init, "cuInit")) return;
    library.report_loaded(reinterpret_cast<void*>(driver.init));
    if (!library.get(driver.count, "cuDeviceGetCount")) return;
    library.get_optional(driver.version, "cuDriverGetVersion");
    library.get_optional(driver.error_name, "cuGetErrorName");

    send_stage(report_fd, "cuInit");
    if (const CudaResult error = driver.init(0); error != 0)
        return library.report_failed("cuInit", error, name_of(driver, error));

    int version = 0;
    if (driver.version && driver.version(&version) == 0) {
        char text[32];  // 1000 * major + 10 * minor
        std::snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        send_note(report_fd, "CUDA of the driver: ", text);
    }

    send_stage(report_fd, "cuDeviceGetCount");
    int count = 0;
    if (const CudaResult error = driver.count(&count); error != 0)
        return library.report_failed("cuDeviceGetCount", error, name_of(driver, error));
    ReportLine("devices").text("nvidia").number(count).send(report_fd);
}

}  // namespace gantry::probe::inside
