#include "app/gpu_turns.hpp"

#include <set>

#include "sys/file.hpp"
#include "sys/file_lock.hpp"

namespace gantry::app {

GpuTurns GpuTurns::take(const std::string& state_folder, const probe::Expectation& expectation,
                        std::chrono::milliseconds most) {
    GpuTurns turns;
    // By address, so that two containers never wait for each other's; a card's
    // partitions share what makes them slow.
    std::set<std::string> addresses;
    for (const auto* gpus : {&expectation.amd, &expectation.nvidia})
        for (const probe::ExpectedGpu& gpu : *gpus)
            if (gpu.in_use.empty()) addresses.insert(gpu.pci_address);
    const std::string folder = state_folder + "/gpus";
    if (addresses.empty()) return turns;
    turns.complete_ = sys::make_folders(folder).has_value();
    const auto deadline = std::chrono::steady_clock::now() + most;
    for (const std::string& address : addresses) {
        UniqueFd lock = sys::lock_file(folder + "/" + address, deadline);
        turns.complete_ = turns.complete_ && lock;
        turns.locks_.push_back(std::move(lock));
    }
    return turns;
}

}  // namespace gantry::app
