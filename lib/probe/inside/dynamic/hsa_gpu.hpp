// The computing check on one AMD GPU or partition of one, by the HSA runtime.
#pragma once

#include <cstring>

#include "probe/inside/dynamic/gpu_report.hpp"
#include "probe/inside/dynamic/hsa_agent.hpp"
#include "probe/inside/dynamic/hsa_commands.hpp"

namespace gantry::probe::inside {

class HsaGpu {
public:
    HsaGpu() = default;
    HsaGpu(const HsaRuntime* runtime, HsaAgent agent, HsaAgent cpu,
           const HsaDescription& description, GpuReport report)
        : hsa_(runtime), agent_(agent), cpu_(cpu), code_object_(description.code_object),
          report_(report) {
        std::memcpy(target_, description.target, sizeof target_);
    }

    // The steps of gemm_run.hpp.
    [[nodiscard]] bool prepare(const Task& task);
    [[nodiscard]] bool compute(unsigned count, std::uint64_t* times_ns);
    [[nodiscard]] std::uint64_t product_ns() const { return product_ns_; }
    [[nodiscard]] bool check(const Task& task, unsigned round, std::uint64_t seed);
    void release();
    [[nodiscard]] GpuReport& report() { return report_; }

    // A fault that the runtime tells of some agent, from a thread of its own.
    void fault(HsaAgent agent, HsaStatus status);
    [[nodiscard]] bool has_fault() const { return commands_.error() != kHsaSuccess; }

private:
    // The arguments of the kernels as they lie in memory.
    struct Arguments;

    [[nodiscard]] bool ok(const char* call, HsaStatus status);
    [[nodiscard]] bool has_memory();
    [[nodiscard]] bool make_queue();
    [[nodiscard]] bool load_kernels();
    [[nodiscard]] bool allocate(HsaPool pool, std::size_t size, void*& pointer);
    [[nodiscard]] bool make_matrices(const Task& task);
    [[nodiscard]] bool warm_up();
    [[nodiscard]] bool check_evidence();
    // Dispatches it as the last one, and returns once it is done.
    [[nodiscard]] bool run(const HsaKernel& kernel, unsigned groups_x, unsigned groups_y,
                           void* arguments);
    [[nodiscard]] bool wait(HsaSignal signal);

    const HsaRuntime* hsa_ = nullptr;
    HsaAgent agent_ = {0}, cpu_ = {0};
    const CodeObject* code_object_ = nullptr;
    char target_[sizeof HsaDescription::target] = "";
    GpuReport report_;
    HsaCommands commands_;
    HsaMemory device_memory_, host_memory_;
    HsaKernels kernels_;
    void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
    Arguments* arguments_ = nullptr;  // in the host's memory, like
    void* out_ = nullptr;             // sums of rows, evidence
    HsaSignal signals_[kMaxProducts] = {};
    std::uint64_t ticks_per_second_ = 0;
    unsigned size_ = 0;
    std::uint64_t product_ns_ = 0;  // by our clock, of the last warm-up
};

}  // namespace gantry::probe::inside
