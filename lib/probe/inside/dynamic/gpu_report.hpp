// The lines of the report that are about one GPU. Threads of several GPUs use
// their own at the same time: a line is one write(2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/kernels/gemm_data.hpp"

namespace gantry::probe::inside {

class GpuReport {
public:
    GpuReport() = default;
    GpuReport(int report_fd, const char* vendor, unsigned index)
        : report_fd_(report_fd), vendor_(vendor), index_(index) {}

    // `pci` as "0000:03:00.0"; `target` gfx1030 or sm_90; units: CUs or SMs.
    void device(const char* pci, const char* target, unsigned units, const char* name);
    void memory(unsigned long long free_bytes, unsigned long long total_bytes);
    void busy(const char* why);  // it is not computed on it: words of protocol.hpp
    void stage(const char* name);
    void failed(const char* call, long long code, const char* name);
    void measure(unsigned round);
    void product(unsigned round, unsigned count, std::uint64_t best_ns, std::uint64_t median_ns);
    void sums(unsigned round, const RowSum* rows, unsigned count);  // and how many were no integers
    void evidence(const Evidence* groups, unsigned count);
    void done();

    [[nodiscard]] unsigned index() const { return index_; }

private:
    int report_fd_ = -1;
    const char* vendor_ = "";
    unsigned index_ = 0;
};

}  // namespace gantry::probe::inside
