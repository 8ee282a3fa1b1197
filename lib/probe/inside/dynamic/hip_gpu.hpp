// The computing check on one AMD GPU by the HIP runtime: the second opinion, which
// also shows that what HIP itself needs is sound.
#pragma once

#include "probe/inside/dynamic/gpu_report.hpp"
#include "probe/inside/dynamic/hip_runtime.hpp"
#include "probe/inside/dynamic/product_times.hpp"
#include "probe/inside/dynamic/task.hpp"
#include "probe/kernels/embedded.hpp"

namespace gantry::probe::inside {

class HipGpu {
public:
    HipGpu() = default;
    HipGpu(const HipRuntime* runtime, int device, const CodeObject* code_object, GpuReport report)
        : hip_(runtime), device_(device), code_object_(code_object), report_(report) {}

    // The steps of gemm_run.hpp.
    [[nodiscard]] bool prepare(const Task& task);
    [[nodiscard]] bool compute(unsigned count, std::uint64_t* times_ns);
    [[nodiscard]] std::uint64_t product_ns() const { return product_ns_; }
    [[nodiscard]] bool check(const Task& task, unsigned round, std::uint64_t seed);
    void release();
    [[nodiscard]] GpuReport& report() { return report_; }

private:
    [[nodiscard]] bool ok(const char* call, HipResult result);
    [[nodiscard]] bool use_device();
    [[nodiscard]] bool has_memory();
    [[nodiscard]] bool load_kernels();
    [[nodiscard]] bool make_matrices(const Task& task);
    [[nodiscard]] bool warm_up();
    [[nodiscard]] bool check_evidence();
    [[nodiscard]] bool launch(HipFunction kernel, unsigned grid_x, unsigned grid_y,
                              void** parameters);
    [[nodiscard]] bool launch_product();
    // Returns once what was launched so far is done, looking at it now and then.
    [[nodiscard]] bool finish(HipEvent event);
    [[nodiscard]] bool record(HipEvent event);

    const HipRuntime* hip_ = nullptr;
    int device_ = 0;
    const CodeObject* code_object_ = nullptr;
    GpuReport report_;
    HipModule module_ = nullptr;
    HipFunction fill_ = nullptr, poison_ = nullptr, product_ = nullptr, sums_ = nullptr,
                evidence_ = nullptr;
    void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
    void* out_ = nullptr;  // in the host's memory: the kernels write there
    HipEvent events_[2 * kMaxProducts] = {};
    unsigned size_ = 0;
    std::uint64_t product_ns_ = 0;  // by our clock, of the last warm-up
};

}  // namespace gantry::probe::inside
