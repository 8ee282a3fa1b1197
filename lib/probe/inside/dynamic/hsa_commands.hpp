// A queue of one GPU, written as the AQL of the HSA specification (2.9) says, and
// waited for by looking at a signal now and then: the runtime's own waiting spins
// before it sleeps, and processor time is evidence (product_times.hpp).
#pragma once

#include "probe/inside/dynamic/hsa_kernels.hpp"
#include "probe/inside/dynamic/product_times.hpp"

namespace gantry::probe::inside {

class HsaCommands {
public:
    // What may be on its way at once: a round's poisons and products, and some.
    static constexpr std::uint32_t kPackets = 256;
    static_assert(kPackets > 2 * kMaxProducts);

    // This object must stay where it is: the runtime tells it of errors.
    [[nodiscard]] HsaStatus open(const HsaRuntime& runtime, HsaAgent agent);
    void close();

    // Groups of kBlock work-items; begins once all dispatched before is done.
    // `arguments` lie in memory that the GPU reads, and stay until it is done;
    // `completion` (handle 0: none) is lowered by one then.
    void dispatch(const HsaKernel& kernel, std::uint32_t groups_x, std::uint32_t groups_y,
                  void* arguments, HsaSignal completion);
    // Until the signal is below one, or the queue has an error: that is returned.
    [[nodiscard]] HsaStatus wait(HsaSignal signal, unsigned interval_us) const;

    // A fault of the GPU, from whatever thread; the first one stays.
    void fail(HsaStatus status);
    [[nodiscard]] HsaStatus error() const;

private:
    static void on_error(HsaStatus status, HsaQueue* queue, void* data);

    const HsaRuntime* hsa_ = nullptr;
    HsaQueue* queue_ = nullptr;
    HsaStatus error_ = kHsaSuccess;
};

}  // namespace gantry::probe::inside
