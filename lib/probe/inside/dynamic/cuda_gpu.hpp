// The computing check on one NVIDIA GPU or MIG instance, by the driver API.
#pragma once

#include "probe/inside/dynamic/cuda_driver.hpp"
#include "probe/inside/dynamic/gpu_report.hpp"
#include "probe/inside/dynamic/product_times.hpp"
#include "probe/inside/dynamic/task.hpp"

namespace gantry::probe::inside {

class CudaGpu {
public:
    CudaGpu() = default;
    CudaGpu(const CudaDriver* driver, CudaDevice device, GpuReport report)
        : cuda_(driver), device_(device), report_(report) {}

    // The steps of gemm_run.hpp.
    [[nodiscard]] bool prepare(const Task& task);
    [[nodiscard]] bool compute(unsigned count, std::uint64_t* times_ns);
    [[nodiscard]] std::uint64_t product_ns() const { return product_ns_; }
    [[nodiscard]] bool check(const Task& task, unsigned round, std::uint64_t seed);
    void release();
    [[nodiscard]] GpuReport& report() { return report_; }

private:
    [[nodiscard]] bool ok(const char* call, CudaResult result);
    [[nodiscard]] bool may_compute();
    [[nodiscard]] bool make_context();
    [[nodiscard]] bool load_kernels();
    [[nodiscard]] bool make_matrices(const Task& task);
    [[nodiscard]] bool warm_up(const Task& task);
    [[nodiscard]] bool check_evidence();
    // Returns once what was launched so far is done, looking at it now and then.
    [[nodiscard]] bool wait(CudaEvent event);
    [[nodiscard]] bool launch(CudaFunction kernel, unsigned grid_x, unsigned grid_y,
                              void** parameters);
    [[nodiscard]] bool launch_poison();
    [[nodiscard]] bool launch_product();

    const CudaDriver* cuda_ = nullptr;
    CudaDevice device_ = 0;
    GpuReport report_;
    CudaContext context_ = nullptr;
    CudaModule module_ = nullptr;
    CudaFunction fill_ = nullptr, poison_ = nullptr, product_ = nullptr, sums_ = nullptr,
                 evidence_ = nullptr;
    CudaPointer a_ = 0, b_ = 0, c_ = 0, out_ = 0;
    CudaEvent events_[2 * kMaxProducts] = {};
    unsigned size_ = 0;
    std::uint64_t product_ns_ = 0;  // by our clock, of the last warm-up
};

}  // namespace gantry::probe::inside
