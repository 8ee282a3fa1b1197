#include "probe/inside/dynamic/hsa_gpu.hpp"

#include <initializer_list>

#include "probe/inside/dynamic/amd_units.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

// The matrices take 192 MiB; a GPU with less than this free is in use, and a
// check must not be what makes another process's allocation fail.
constexpr std::uint64_t kLeastFreeBytes = std::uint64_t{2} << 30;
constexpr unsigned kEvidenceGroups = 1024;
constexpr std::uint32_t kEvidenceSpin = 2000;
constexpr std::size_t kPage = 4096;  // the granule of every pool

constexpr std::size_t whole_pages(std::size_t size) { return (size + kPage - 1) & ~(kPage - 1); }

}  // namespace

// Each at an address that is a multiple of 16, as the specification asks.
struct HsaGpu::Arguments {
    struct alignas(64) Fill {
        void* matrix;
        std::uint32_t count, seed;
    } fill_a, fill_b;
    struct alignas(64) Poison {
        void* matrix;
        std::uint32_t count;
    } poison;
    struct alignas(64) Product {
        void *a, *b, *c;
        std::uint32_t size;
    } product;
    struct alignas(64) Sums {
        void *c, *out;
        std::uint64_t seed;
        std::uint32_t size;
    } sums;
    struct alignas(64) Evidence {
        void* out;
        std::uint32_t spin;
    } evidence;
};

bool HsaGpu::ok(const char* call, HsaStatus status) {
    if (status == kHsaSuccess) return true;
    report_.failed(call, status, hsa_->name_of(status));
    return false;
}

bool HsaGpu::has_memory() {
    report_.stage("hsa_amd_agent_iterate_memory_pools");
    if (!ok("hsa_amd_agent_iterate_memory_pools",
            find_memory(*hsa_, agent_, kHsaCoarseGrained, device_memory_)) ||
        !ok("hsa_amd_agent_iterate_memory_pools",
            find_memory(*hsa_, cpu_, kHsaFineGrained, host_memory_)))
        return false;
    std::uint64_t available = 0;
    if (hsa_->agent_info(agent_, kHsaAgentMemoryAvailable, &available) != kHsaSuccess)
        return true;  // before ROCm 5.3 nobody knows; the launcher knows from sysfs
    report_.memory(available, device_memory_.size);
    // A GPU that never had that much, as many APUs, is judged by its own size.
    const std::uint64_t half = device_memory_.size / 2;
    const std::uint64_t least = half < kLeastFreeBytes ? half : kLeastFreeBytes;
    if (available < least) report_.busy(kBusyMemory);
    return available >= least;
}

bool HsaGpu::make_queue() {
    report_.stage("hsa_queue_create");
    if (!ok("hsa_queue_create", commands_.open(*hsa_, agent_)) ||
        !ok("hsa_system_get_info",
            hsa_->system_info(kHsaTimestampFrequency, &ticks_per_second_)))
        return false;
    // With the GPU as the only one to wait for it, a signal takes none of the
    // kernel's interrupt events, of which a process has a limited number.
    for (HsaSignal& signal : signals_)
        if (!ok("hsa_signal_create", hsa_->signal_create(1, 1, &agent_, &signal))) return false;
    return true;
}

bool HsaGpu::load_kernels() {
    report_.stage("hsa_executable_load_agent_code_object");
    if (!code_object_) {
        report_.failed("hsa_executable_load_agent_code_object", kNoCodeObject, target_);
        return false;
    }
    const HsaFailure failure = kernels_.load(*hsa_, agent_, *code_object_);
    return ok(failure.call, failure.status);
}

bool HsaGpu::allocate(HsaPool pool, std::size_t size, void*& pointer) {
    return ok("hsa_amd_memory_pool_allocate", hsa_->allocate(pool, size, 0, &pointer));
}

bool HsaGpu::make_matrices(const Task& task) {
    report_.stage("hsa_amd_memory_pool_allocate");
    size_ = task.size;
    const std::uint32_t count = size_ * size_;
    const std::size_t sums = size_ * sizeof(RowSum), evidence = kEvidenceGroups * sizeof(Evidence);
    for (void** const matrix : {&a_, &b_, &c_})
        if (!allocate(device_memory_.pool, whole_pages(count * sizeof(float)), *matrix))
            return false;
    void* arguments = nullptr;
    if (!allocate(host_memory_.pool, kPage, arguments) ||
        !allocate(host_memory_.pool, whole_pages(sums > evidence ? sums : evidence), out_))
        return false;
    static_assert(sizeof(Arguments) <= kPage);
    arguments_ = static_cast<Arguments*>(arguments);
    for (const void* const shared : {arguments, out_})
        if (!ok("hsa_amd_agents_allow_access", hsa_->allow_access(1, &agent_, nullptr, shared)))
            return false;

    arguments_->fill_a = {a_, count, task.seed_a};
    arguments_->fill_b = {b_, count, task.seed_b};
    arguments_->poison = {c_, count};
    arguments_->product = {a_, b_, c_, size_};
    arguments_->sums = {c_, out_, 0, size_};
    arguments_->evidence = {out_, kEvidenceSpin};
    report_.stage("gantry_fill");
    return run(kernels_.fill, count / kBlock, 1, &arguments_->fill_a) &&
           run(kernels_.fill, count / kBlock, 1, &arguments_->fill_b);
}

bool HsaGpu::run(const HsaKernel& kernel, unsigned groups_x, unsigned groups_y, void* arguments) {
    hsa_->signal_store(signals_[0], 1);
    commands_.dispatch(kernel, groups_x, groups_y, arguments, signals_[0]);
    return wait(signals_[0]);
}

bool HsaGpu::wait(HsaSignal signal) {
    return ok("queue", commands_.wait(signal, poll_interval_us(product_ns_)));
}

bool HsaGpu::warm_up() {
    report_.stage("warm up");
    const std::uint64_t begin = now_ns();
    for (unsigned i = 0; i < kMaxWarmUpProducts; ++i) {
        const std::uint64_t before = now_ns();
        if (!run(kernels_.product, size_ / kTile, size_ / kTile, &arguments_->product))
            return false;
        const std::uint64_t after = now_ns();
        product_ns_ = after - before;
        if (after - begin >= kWarmUpMs * 1000000ULL) break;
    }
    return true;
}

bool HsaGpu::prepare(const Task& task) {
    return has_memory() && make_queue() && load_kernels() && make_matrices(task) && warm_up();
}

bool HsaGpu::compute(unsigned count, std::uint64_t* times_ns) {
    for (unsigned i = 0; i < count; ++i) {
        hsa_->signal_store(signals_[i], 1);
        commands_.dispatch(kernels_.poison, size_ * size_ / kBlock, 1, &arguments_->poison, {0});
        commands_.dispatch(kernels_.product, size_ / kTile, size_ / kTile, &arguments_->product,
                           signals_[i]);
    }
    if (!wait(signals_[count - 1])) return false;

    for (unsigned i = 0; i < count; ++i) {
        HsaDispatchTime time = {0, 0};
        if (!ok("hsa_amd_profiling_get_dispatch_time",
                hsa_->dispatch_time(agent_, signals_[i], &time)))
            return false;
        const double ticks = time.end > time.start ? static_cast<double>(time.end - time.start) : 0;
        times_ns[i] = static_cast<std::uint64_t>(
            ticks * 1e9 / static_cast<double>(ticks_per_second_ > 0 ? ticks_per_second_ : 1));
    }
    return true;
}

bool HsaGpu::check_evidence() {
    report_.stage("gantry_evidence");
    if (!run(kernels_.evidence, kEvidenceGroups, 1, &arguments_->evidence)) return false;
    auto* const groups = static_cast<Evidence*>(out_);
    keep_unit(groups, kEvidenceGroups, target_);
    report_.evidence(groups, kEvidenceGroups);
    return true;
}

bool HsaGpu::check(const Task&, unsigned round, std::uint64_t seed) {
    report_.stage("gantry_rowdot");
    arguments_->sums.seed = seed;
    if (!run(kernels_.sums, size_, 1, &arguments_->sums)) return false;
    report_.sums(round, static_cast<const RowSum*>(out_), size_);
    return round > 0 || check_evidence();
}

void HsaGpu::fault(HsaAgent agent, HsaStatus status) {
    if (agent.handle == agent_.handle) commands_.fail(status);
}

// What a faulty queue holds is the kernel's to take back, once the process ends.
void HsaGpu::release() {
    if (has_fault()) return;
    report_.stage("release");
    commands_.close();
    for (const HsaSignal signal : signals_)
        if (signal.handle != 0) (void)hsa_->signal_destroy(signal);
    kernels_.unload();
    for (void* const pointer : {a_, b_, c_, static_cast<void*>(arguments_), out_})
        if (pointer) (void)hsa_->free(pointer);
}

}  // namespace gantry::probe::inside
