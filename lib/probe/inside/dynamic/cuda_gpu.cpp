#include "probe/inside/dynamic/cuda_gpu.hpp"

#include <cstdlib>
#include <initializer_list>

#include "probe/inside/report_line.hpp"
#include "probe/kernels/embedded.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

// The matrices take 192 MiB; a GPU with less than this free is in use, and a
// check must not be what makes another process's allocation fail.
constexpr std::size_t kLeastFreeBytes = std::size_t{2} << 30;
constexpr unsigned kEvidenceGroups = 1024;
constexpr std::uint32_t kEvidenceSpin = 2000;

constexpr std::size_t kOutBytes = kEvidenceGroups * sizeof(Evidence);
static_assert(kOutBytes < kMaxSize * sizeof(RowSum));

}  // namespace

bool CudaGpu::ok(const char* call, CudaResult result) {
    if (result == kCudaSuccess) return true;
    report_.failed(call, result, cuda_->name_of(result));
    return false;
}

bool CudaGpu::may_compute() {
    int mode = 0;
    report_.stage("cuDeviceGetAttribute");
    if (!ok("cuDeviceGetAttribute", cuda_->device_attribute(&mode, kCudaComputeMode, device_)))
        return false;
    if (mode != 0) report_.busy(kBusyExclusive);
    return mode == 0;
}

bool CudaGpu::make_context() {
    // Threads that wait inside the driver sleep there instead of spinning. The
    // call is refused once the context is active, which it is not yet.
    report_.stage("cuDevicePrimaryCtxRetain");
    (void)cuda_->context_flags(device_, kCudaBlockingSync);
    const CudaResult result = cuda_->context_retain(&context_, device_);
    if (result == kCudaDeviceUnavailable) {
        report_.busy(kBusyHeld);
        return false;
    }
    if (!ok("cuDevicePrimaryCtxRetain", result) ||
        !ok("cuCtxSetCurrent", cuda_->context_set(context_)))
        return false;

    std::size_t free = 0, total = 0;
    if (!ok("cuMemGetInfo", cuda_->memory_info(&free, &total))) return false;
    report_.memory(free, total);
    // A GPU or an instance that never had that much is judged by its own size.
    const std::size_t least = total / 2 < kLeastFreeBytes ? total / 2 : kLeastFreeBytes;
    if (free < least) report_.busy(kBusyMemory);
    return free >= least;
}

bool CudaGpu::load_kernels() {
    report_.stage("cuModuleLoadDataEx");
    char log[512] = "";
    int options[] = {kCudaJitErrorLog, kCudaJitErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(std::uintptr_t{sizeof log})};
    const CudaResult result = cuda_->module_load(&module_, gantry_ptx, 2, options, values);
    if (result != kCudaSuccess) {
        log[sizeof log - 1] = '\0';
        report_.failed("cuModuleLoadDataEx", result, log[0] ? log : cuda_->name_of(result));
        return false;
    }
    const struct {
        CudaFunction* function;
        const char* name;
    } kernels[] = {{&fill_, "gantry_fill"},
                   {&poison_, "gantry_poison"},
                   {&product_, "gantry_sgemm"},
                   {&sums_, "gantry_rowdot"},
                   {&evidence_, "gantry_evidence"}};
    for (const auto& kernel : kernels)
        if (!ok("cuModuleGetFunction",
                cuda_->module_function(kernel.function, module_, kernel.name)))
            return false;
    return true;
}

bool CudaGpu::launch(CudaFunction kernel, unsigned grid_x, unsigned grid_y, void** parameters) {
    return ok("cuLaunchKernel", cuda_->launch(kernel, grid_x, grid_y, 1, kBlock, 1, 1, 0, nullptr,
                                              parameters, nullptr));
}

bool CudaGpu::launch_poison() {
    std::uint32_t count = size_ * size_;
    void* parameters[] = {&c_, &count};
    return launch(poison_, (count + kBlock - 1) / kBlock, 1, parameters);
}

bool CudaGpu::launch_product() {
    void* parameters[] = {&a_, &b_, &c_, &size_};
    return launch(product_, size_ / kTile, size_ / kTile, parameters);
}

bool CudaGpu::wait(CudaEvent event) {
    const unsigned interval = poll_interval_us(product_ns_);
    for (;;) {
        const CudaResult result = cuda_->event_query(event);
        if (result != kCudaNotReady) return ok("cuEventQuery", result);
        sleep_us(interval);
    }
}

bool CudaGpu::make_matrices(const Task& task) {
    report_.stage("cuMemAlloc");
    size_ = task.size;
    const std::size_t bytes = std::size_t{size_} * size_ * sizeof(float);
    const std::size_t sums = size_ * sizeof(RowSum);
    for (CudaPointer* matrix : {&a_, &b_, &c_})
        if (!ok("cuMemAlloc", cuda_->allocate(matrix, bytes))) return false;
    if (!ok("cuMemAlloc", cuda_->allocate(&out_, sums > kOutBytes ? sums : kOutBytes)))
        return false;
    for (CudaEvent& event : events_)
        if (!ok("cuEventCreate", cuda_->event_create(&event, 0))) return false;

    report_.stage("gantry_fill");
    std::uint32_t count = size_ * size_, seed_a = task.seed_a, seed_b = task.seed_b;
    const unsigned grid = (count + kBlock - 1) / kBlock;
    void* a[] = {&a_, &count, &seed_a};
    void* b[] = {&b_, &count, &seed_b};
    return launch(fill_, grid, 1, a) && launch(fill_, grid, 1, b) &&
           ok("gantry_fill", cuda_->synchronize());
}

bool CudaGpu::warm_up(const Task&) {
    report_.stage("warm up");
    const std::uint64_t begin = now_ns();
    for (unsigned i = 0; i < kMaxWarmUpProducts; ++i) {
        const std::uint64_t before = now_ns();
        if (!launch_product() || !ok("gantry_sgemm", cuda_->event_record(events_[0], nullptr)) ||
            !wait(events_[0]))
            return false;
        const std::uint64_t after = now_ns();
        product_ns_ = after - before;
        if (after - begin >= kWarmUpMs * 1000000ULL) break;
    }
    return true;
}

bool CudaGpu::prepare(const Task& task) {
    return may_compute() && make_context() && load_kernels() && make_matrices(task) &&
           warm_up(task);
}

bool CudaGpu::compute(unsigned count, std::uint64_t* times_ns) {
    // The phases run in threads of their own, and a current context is a thread's.
    if (!ok("cuCtxSetCurrent", cuda_->context_set(context_))) return false;
    for (unsigned i = 0; i < count; ++i)
        if (!launch_poison() ||
            !ok("gantry_sgemm", cuda_->event_record(events_[2 * i], nullptr)) ||
            !launch_product() ||
            !ok("gantry_sgemm", cuda_->event_record(events_[2 * i + 1], nullptr)))
            return false;
    if (!wait(events_[2 * count - 1])) return false;

    for (unsigned i = 0; i < count; ++i) {
        float milliseconds = 0;
        if (!ok("cuEventElapsedTime",
                cuda_->event_elapsed(&milliseconds, events_[2 * i], events_[2 * i + 1])))
            return false;
        times_ns[i] = milliseconds > 0 ? static_cast<std::uint64_t>(milliseconds * 1e6F) : 0;
    }
    return true;
}

bool CudaGpu::check_evidence() {
    report_.stage("gantry_evidence");
    std::uint32_t spin = kEvidenceSpin;
    void* parameters[] = {&out_, &spin};
    auto* const groups = static_cast<Evidence*>(std::malloc(kOutBytes));
    const bool good = groups && launch(evidence_, kEvidenceGroups, 1, parameters) &&
                      ok("gantry_evidence", cuda_->copy_to_host(groups, out_, kOutBytes));
    if (good) report_.evidence(groups, kEvidenceGroups);
    std::free(groups);
    return good;
}

bool CudaGpu::check(const Task&, unsigned round, std::uint64_t seed) {
    if (!ok("cuCtxSetCurrent", cuda_->context_set(context_))) return false;
    report_.stage("gantry_rowdot");
    void* parameters[] = {&c_, &out_, &seed, &size_};
    auto* const rows = static_cast<RowSum*>(std::malloc(size_ * sizeof(RowSum)));
    const bool good = rows && launch(sums_, size_, 1, parameters) &&
                      ok("gantry_rowdot",
                         cuda_->copy_to_host(rows, out_, size_ * sizeof(RowSum)));
    if (good) report_.sums(round, rows, size_);
    std::free(rows);
    return good && (round > 0 || check_evidence());
}

void CudaGpu::release() {
    if (!context_) return;
    report_.stage("release");
    (void)cuda_->context_set(context_);
    for (const CudaEvent event : events_)
        if (event) (void)cuda_->event_destroy(event);
    for (const CudaPointer pointer : {a_, b_, c_, out_})
        if (pointer) (void)cuda_->free(pointer);
    if (module_) (void)cuda_->module_unload(module_);
    (void)cuda_->context_release(device_);
}

}  // namespace gantry::probe::inside
