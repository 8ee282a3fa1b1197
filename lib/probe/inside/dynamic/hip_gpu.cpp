#include "probe/inside/dynamic/hip_gpu.hpp"

#include <initializer_list>

#include "probe/inside/dynamic/amd_units.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

// As of the HSA backend (hsa_gpu.cpp).
constexpr std::size_t kLeastFreeBytes = std::size_t{2} << 30;
constexpr unsigned kEvidenceGroups = 1024;
constexpr std::uint32_t kEvidenceSpin = 2000;

}  // namespace

bool HipGpu::ok(const char* call, HipResult result) {
    if (result == kHipSuccess) return true;
    report_.failed(call, result, hip_->name_of(result));
    return false;
}

// The phases run in threads of their own, and the current device is a thread's.
bool HipGpu::use_device() { return ok("hipSetDevice", hip_->set_device(device_)); }

bool HipGpu::has_memory() {
    report_.stage("hipMemGetInfo");
    // Threads that wait inside the runtime should sleep there, where it can.
    (void)hip_->set_device_flags(kHipBlockingSync);
    std::size_t free = 0, total = 0;
    if (!ok("hipMemGetInfo", hip_->memory_info(&free, &total))) return false;
    report_.memory(free, total);
    const std::size_t least = total / 2 < kLeastFreeBytes ? total / 2 : kLeastFreeBytes;
    if (free < least) report_.busy(kBusyMemory);
    return free >= least;
}

bool HipGpu::load_kernels() {
    report_.stage("hipModuleLoadData");
    if (!ok("hipModuleLoadData", hip_->module_load(&module_, code_object_->data))) return false;
    const struct {
        HipFunction* function;
        const char* name;
    } kernels[] = {{&fill_, "gantry_fill"},
                   {&poison_, "gantry_poison"},
                   {&product_, "gantry_sgemm"},
                   {&sums_, "gantry_rowdot"},
                   {&evidence_, "gantry_evidence"}};
    for (const auto& kernel : kernels)
        if (!ok("hipModuleGetFunction",
                hip_->module_function(kernel.function, module_, kernel.name)))
            return false;
    return true;
}

bool HipGpu::launch(HipFunction kernel, unsigned grid_x, unsigned grid_y, void** parameters) {
    return ok("hipModuleLaunchKernel", hip_->launch(kernel, grid_x, grid_y, 1, kBlock, 1, 1, 0,
                                                    nullptr, parameters, nullptr));
}

bool HipGpu::launch_product() {
    void* parameters[] = {&a_, &b_, &c_, &size_};
    return launch(product_, size_ / kTile, size_ / kTile, parameters);
}

bool HipGpu::record(HipEvent event) {
    return ok("hipEventRecord", hip_->event_record(event, nullptr));
}

bool HipGpu::finish(HipEvent event) {
    const unsigned interval = poll_interval_us(product_ns_);
    for (;;) {
        const HipResult result = hip_->event_query(event);
        if (result != kHipNotReady) return ok("hipEventQuery", result);
        sleep_us(interval);
    }
}

bool HipGpu::make_matrices(const Task& task) {
    report_.stage("hipMalloc");
    size_ = task.size;
    std::uint32_t count = size_ * size_, seed_a = task.seed_a, seed_b = task.seed_b;
    const std::size_t sums = size_ * sizeof(RowSum), evidence = kEvidenceGroups * sizeof(Evidence);
    for (void** const matrix : {&a_, &b_, &c_})
        if (!ok("hipMalloc", hip_->allocate(matrix, count * sizeof(float)))) return false;
    if (!ok("hipHostMalloc", hip_->host_allocate(&out_, sums > evidence ? sums : evidence, 0)))
        return false;
    for (HipEvent& event : events_)
        if (!ok("hipEventCreate", hip_->event_create(&event))) return false;

    report_.stage("gantry_fill");
    void* a[] = {&a_, &count, &seed_a};
    void* b[] = {&b_, &count, &seed_b};
    return launch(fill_, count / kBlock, 1, a) && launch(fill_, count / kBlock, 1, b) &&
           record(events_[0]) && finish(events_[0]);
}

bool HipGpu::warm_up() {
    report_.stage("warm up");
    const std::uint64_t begin = now_ns();
    for (unsigned i = 0; i < kMaxWarmUpProducts; ++i) {
        const std::uint64_t before = now_ns();
        if (!launch_product() || !record(events_[0]) || !finish(events_[0])) return false;
        const std::uint64_t after = now_ns();
        product_ns_ = after - before;
        if (after - begin >= kWarmUpMs * 1000000ULL) break;
    }
    return true;
}

bool HipGpu::prepare(const Task& task) {
    return use_device() && has_memory() && load_kernels() && make_matrices(task) && warm_up();
}

bool HipGpu::compute(unsigned count, std::uint64_t* times_ns) {
    if (!use_device()) return false;
    std::uint32_t elements = size_ * size_;
    void* poisoned[] = {&c_, &elements};
    for (unsigned i = 0; i < count; ++i)
        if (!launch(poison_, elements / kBlock, 1, poisoned) || !record(events_[2 * i]) ||
            !launch_product() || !record(events_[2 * i + 1]))
            return false;
    if (!finish(events_[2 * count - 1])) return false;

    for (unsigned i = 0; i < count; ++i) {
        float milliseconds = 0;
        if (!ok("hipEventElapsedTime",
                hip_->event_elapsed(&milliseconds, events_[2 * i], events_[2 * i + 1])))
            return false;
        times_ns[i] = milliseconds > 0 ? static_cast<std::uint64_t>(milliseconds * 1e6F) : 0;
    }
    return true;
}

bool HipGpu::check_evidence() {
    report_.stage("gantry_evidence");
    std::uint32_t spin = kEvidenceSpin;
    void* parameters[] = {&out_, &spin};
    if (!launch(evidence_, kEvidenceGroups, 1, parameters) || !record(events_[0]) ||
        !finish(events_[0]))
        return false;
    auto* const groups = static_cast<Evidence*>(out_);
    keep_unit(groups, kEvidenceGroups, code_object_->isa);
    report_.evidence(groups, kEvidenceGroups);
    return true;
}

bool HipGpu::check(const Task&, unsigned round, std::uint64_t seed) {
    if (!use_device()) return false;
    report_.stage("gantry_rowdot");
    void* parameters[] = {&c_, &out_, &seed, &size_};
    if (!launch(sums_, size_, 1, parameters) || !record(events_[0]) || !finish(events_[0]))
        return false;
    report_.sums(round, static_cast<const RowSum*>(out_), size_);
    return round > 0 || check_evidence();
}

void HipGpu::release() {
    if (!module_) return;
    report_.stage("release");
    (void)hip_->set_device(device_);
    for (const HipEvent event : events_)
        if (event) (void)hip_->event_destroy(event);
    for (void* const pointer : {a_, b_, c_})
        if (pointer) (void)hip_->free(pointer);
    if (out_) (void)hip_->host_free(out_);
    (void)hip_->module_unload(module_);
}

}  // namespace gantry::probe::inside
