// The computing check of one vendor's GPUs, the same for every backend. All GPUs
// go through a phase together, so that none is timed while another one's kernels
// are still being compiled; the launcher's clock runs between the phases' lines.
//
// A backend's Gpu has these steps; each reports what it does (GpuReport), and
// returns false where it failed, has reported that, and goes on no further:
//
//   bool prepare(const Task&)               context or queue, kernels, memory, A and B, warm-up
//   bool compute(count, times_ns)           poison and product, each so many times, with the
//                                           times of the products by the GPU's clock
//   uint64_t product_ns()                   of the last warm-up, by our clock
//   bool check(const Task&, round, seed)    sums of the rows; in the first round the evidence
//   void release()                          whatever is still held
//   GpuReport& report()
#pragma once

#include "probe/inside/dynamic/challenge.hpp"
#include "probe/inside/dynamic/gpu_report.hpp"
#include "probe/inside/dynamic/parallel.hpp"
#include "probe/inside/dynamic/product_times.hpp"
#include "probe/inside/dynamic/task.hpp"

namespace gantry::probe::inside {

template <class Gpu>
class GemmRun {
public:
    GemmRun(const Task& task, const char* vendor, Gpu* gpus, unsigned count)
        : task_(task), vendor_(vendor), gpus_(gpus), count_(count < kMaxGpus ? count : kMaxGpus) {
        for (unsigned i = 0; i < count_; ++i) good_[i] = true;
    }

    void run() {
        each([](Gpu& gpu, const Task& task, unsigned) { return gpu.prepare(task); });
        for (round_ = 0; round_ < task_.rounds && good_count() > 0; ++round_) {
            each(measure);
            check();
        }
        for (unsigned i = 0; i < count_; ++i) {
            gpus_[i].release();
            if (good_[i]) gpus_[i].report().done();
        }
    }

private:
    using Step = bool (*)(Gpu&, const Task&, unsigned round);

    // As many products as the time holds: a long round takes several batches.
    static bool measure(Gpu& gpu, const Task& task, unsigned round) {
        gpu.report().stage("gantry_sgemm");
        gpu.report().measure(round);
        const unsigned batch = products_for(task.budget_ms, gpu.product_ns());
        const std::uint64_t end = now_ns() + task.budget_ms * 1000000ULL;
        std::uint64_t times[kMaxProducts];
        BestAndMedian whole = {0, 0};
        unsigned count = 0;
        do {
            if (!gpu.compute(batch, times)) return false;
            const BestAndMedian taken = best_and_median(times, batch);
            whole.best_ns = count == 0 || taken.best_ns < whole.best_ns ? taken.best_ns
                                                                        : whole.best_ns;
            whole.median_ns = taken.median_ns;  // of the last batch, at its steady clock
            count += batch;
        } while (batch == kMaxProducts && now_ns() < end);
        gpu.report().product(round, count, whole.best_ns, whole.median_ns);
        return true;
    }

    void each(Step step) {
        step_ = step;
        in_parallel(
            count_,
            [](void* context, unsigned i) {
                auto& self = *static_cast<GemmRun*>(context);
                if (self.good_[i])
                    self.good_[i] = self.step_(self.gpus_[i], self.task_, self.round_);
            },
            this);
    }

    void check() {
        std::uint64_t seeds[kMaxGpus] = {};
        const bool told =
            read_challenges(task_.challenge_fd, vendor_, round_, good_count(), seeds);
        for (unsigned i = 0; i < count_; ++i)
            good_[i] = told && good_[i] &&
                       gpus_[i].check(task_, round_, seeds[gpus_[i].report().index()]);
    }

    [[nodiscard]] unsigned good_count() const {
        unsigned count = 0;
        for (unsigned i = 0; i < count_; ++i) count += good_[i] ? 1 : 0;
        return count;
    }

    const Task& task_;
    const char* const vendor_;
    Gpu* const gpus_;
    const unsigned count_;
    bool good_[kMaxGpus] = {};
    unsigned round_ = 0;
    Step step_ = nullptr;
};

}  // namespace gantry::probe::inside
