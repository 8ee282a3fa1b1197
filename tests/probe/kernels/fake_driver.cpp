#include "probe/kernels/fake_driver.hpp"

#include <cstdlib>
#include <vector>

#include "probe/kernels/check_run.hpp"
#include "probe/kernels/embedded.hpp"

namespace gantry::probe::test {

Orders::Orders(const std::string& text) { ::setenv("GANTRY_FAKE_GPU", text.c_str(), 1); }
Orders::~Orders() { ::unsetenv("GANTRY_FAKE_GPU"); }

bool FakeGpu::ok(const char* symbol, int result) {
    if (result != 0 && failed.empty()) {
        failed = symbol;
        code = result;
    }
    return result == 0;
}

// A call whose failure is noted under its name.
#define CALL(symbol, ...) ok(symbol, driver_.call(symbol __VA_OPT__(, ) __VA_ARGS__))

FakeGpu::FakeGpu(const FakeDriver& driver, int ordinal, std::uint32_t size)
    : driver_(driver), n_(size) {
    int mode = 0;
    std::size_t free = 0, total = 0;
    char name[32], pci[32], log[256] = "";
    int options[] = {5, 6};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    int version = 0, count = 0;
    unsigned char uuid[16];
    const std::size_t bytes = std::size_t{size} * size * sizeof(float);
    (void)(CALL("cuInit", 0u) && CALL("cuDriverGetVersion", &version) &&
           CALL("cuDeviceGetCount", &count) && CALL("cuDeviceGet", &device_, ordinal) &&
           CALL("cuDeviceGetName", name, int{sizeof name}, device_) &&
           CALL("cuDeviceGetPCIBusId", pci, int{sizeof pci}, device_) &&
           CALL("cuDeviceGetUuid_v2", &uuid, device_) &&
           CALL("cuDeviceGetAttribute", &mode, 20, device_) &&
           CALL("cuDevicePrimaryCtxSetFlags_v2", device_, 4u) &&
           CALL("cuDevicePrimaryCtxRetain", &context_, device_) &&
           CALL("cuCtxSetCurrent", context_) && CALL("cuMemGetInfo_v2", &free, &total) &&
           CALL("cuModuleLoadDataEx", &module_, static_cast<const void*>(gantry_ptx), 2u,
                static_cast<int*>(options), static_cast<void**>(values)) &&
           CALL("cuMemAlloc_v2", &a_, bytes) && CALL("cuMemAlloc_v2", &b_, bytes) &&
           CALL("cuMemAlloc_v2", &c_, bytes) &&
           CALL("cuMemAlloc_v2", &out_, size * sizeof(RowSum)) &&
           CALL("cuEventCreate", &events_[0], 0u) && CALL("cuEventCreate", &events_[1], 0u));
}

FakeGpu::~FakeGpu() {
    if (!context_) return;
    for (void* event : events_)
        if (event) (void)CALL("cuEventDestroy_v2", event);
    for (unsigned long long pointer : {a_, b_, c_, out_})
        if (pointer) (void)CALL("cuMemFree_v2", pointer);
    if (module_) (void)CALL("cuModuleUnload", module_);
    (void)CALL("cuDevicePrimaryCtxRelease_v2", device_);
}

bool FakeGpu::launch(const char* kernel, unsigned grid_x, unsigned grid_y, void** arguments) {
    void* function = nullptr;
    return CALL("cuModuleGetFunction", &function, module_, kernel) &&
           CALL("cuLaunchKernel", function, grid_x, grid_y, 1u, unsigned{kBlock}, 1u, 1u, 0u,
                static_cast<void*>(nullptr), arguments, static_cast<void**>(nullptr));
}

bool FakeGpu::product() {
    float milliseconds = 0;
    void* arguments[] = {&a_, &b_, &c_, &n_};
    const bool good = CALL("cuEventRecord", events_[0], static_cast<void*>(nullptr)) &&
                      launch("gantry_sgemm", n_ / kTile, n_ / kTile, arguments) &&
                      CALL("cuEventRecord", events_[1], static_cast<void*>(nullptr)) &&
                      CALL("cuEventQuery", events_[1]) && CALL("cuEventSynchronize", events_[1]) &&
                      CALL("cuEventElapsedTime", &milliseconds, events_[0], events_[1]);
    if (good) gflops_ = 2.0 * n_ * n_ * n_ / 1e6 / milliseconds;
    return good;
}

int FakeGpu::check() {
    std::uint32_t count = n_ * n_;
    Seeds seeds = kSeeds;
    void* fill_a[] = {&a_, &count, &seeds.a};
    void* fill_b[] = {&b_, &count, &seeds.b};
    void* poison[] = {&c_, &count};
    void* sums[] = {&c_, &out_, &seeds.r, &n_};
    const unsigned groups = (count + kBlock - 1) / kBlock;
    std::vector<RowSum> rows(n_);
    if (!failed.empty() || !launch("gantry_fill", groups, 1, fill_a) ||
        !launch("gantry_fill", groups, 1, fill_b) || !launch("gantry_poison", groups, 1, poison) ||
        !product() || !launch("gantry_rowdot", n_, 1, sums) || !CALL("cuCtxSynchronize") ||
        !CALL("cuMemcpyDtoH_v2", static_cast<void*>(rows.data()), out_, n_ * sizeof(RowSum)))
        return -1;
    const std::vector<std::uint64_t> expected = expected_dots(n_, seeds);
    int bad = 0;
    for (std::uint32_t i = 0; i < n_; ++i) bad += rows[i].dot != expected[i] || rows[i].bad != 0;
    return bad;
}

}  // namespace gantry::probe::test
