#include "probe/inside/dynamic/hsa_commands.hpp"

#include "probe/kernels/gemm_data.hpp"

namespace gantry::probe::inside {
namespace {

constexpr std::uint32_t kAnySize = ~0U;  // of private and group memory: the runtime chooses

// hsa_packet_header_t: kernel dispatch (2), in order (bit 8), system scope (2) for
// what the kernel reads (from bit 9 on) and what it has written (from bit 11 on).
constexpr std::uint32_t kHeader = 2U | 1U << 8 | 2U << 9 | 2U << 11;
constexpr std::uint32_t kTwoDimensions = 2;

}  // namespace

HsaStatus HsaCommands::open(const HsaRuntime& runtime, HsaAgent agent) {
    hsa_ = &runtime;
    const HsaStatus status = hsa_->queue_create(agent, kPackets, kHsaQueueOfOneProducer, on_error,
                                                this, kAnySize, kAnySize, &queue_);
    return status == kHsaSuccess ? hsa_->profile_queue(queue_, 1) : status;
}

void HsaCommands::close() {
    if (queue_) (void)hsa_->queue_destroy(queue_);
    queue_ = nullptr;
}

void HsaCommands::dispatch(const HsaKernel& kernel, std::uint32_t groups_x,
                           std::uint32_t groups_y, void* arguments, HsaSignal completion) {
    const std::uint64_t index = hsa_->add_write_index(queue_, 1);
    auto& packet =
        static_cast<HsaDispatchPacket*>(queue_->base_address)[index & (queue_->size - 1)];
    packet.group_x = kBlock;
    packet.group_y = packet.group_z = 1;
    packet.grid_x = groups_x * kBlock;
    packet.grid_y = groups_y;
    packet.grid_z = 1;
    packet.private_bytes = kernel.private_bytes;
    packet.group_bytes = kernel.group_bytes;
    packet.kernel_object = kernel.object;
    packet.arguments = arguments;
    packet.completion = completion;
    // The header makes the packet valid: last, together with `setup`, in one store.
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(&packet), kHeader | kTwoDimensions << 16,
                     __ATOMIC_RELEASE);
    hsa_->signal_store(queue_->doorbell, static_cast<std::int64_t>(index));
}

HsaStatus HsaCommands::wait(HsaSignal signal, unsigned interval_us) const {
    while (hsa_->signal_load(signal) >= 1) {
        if (const HsaStatus status = error(); status != kHsaSuccess) return status;
        sleep_us(interval_us);
    }
    return error();
}

void HsaCommands::fail(HsaStatus status) {
    HsaStatus none = kHsaSuccess;
    __atomic_compare_exchange_n(&error_, &none, status, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

HsaStatus HsaCommands::error() const { return __atomic_load_n(&error_, __ATOMIC_ACQUIRE); }

void HsaCommands::on_error(HsaStatus status, HsaQueue*, void* data) {
    static_cast<HsaCommands*>(data)->fail(status);
}

}  // namespace gantry::probe::inside
