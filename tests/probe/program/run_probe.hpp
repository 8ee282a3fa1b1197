// Runs gantry-probe as the launcher does, without the container: its report on
// one descriptor, a deadline, a signal afterwards if need be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "probe/dialogue.hpp"

namespace gantry::probe {

struct ProbeRun {
    std::vector<std::string> nodes;        // ROLE:MAJOR:MINOR:PATH
    unsigned amd = 0, nvidia = 0;          // GPUs, whichever the library shows
    std::string amd_gpus, nvidia_gpus;     // these PCI addresses, by commas; empty: as above
    unsigned size = 0, rounds = 1;         // of the product; 0: nothing is computed
    std::string amd_runtime = "hsa";
    std::vector<std::string> environment;  // NAME=VALUE; nothing else is set
    std::string root;                      // chroot into it first; empty: not
    uid_t uid = 0;                         // becomes this user, without groups; 0: stays
    // Called with the process id once the report holds `wait_for`; the process is
    // killed afterwards.
    std::string wait_for;
    std::function<void(pid_t)> inspect;
};

inline constexpr std::uint32_t kSeedA = 11, kSeedB = 22;
inline constexpr std::uint64_t kChallenge = 33;  // and one more for each further product

struct ProbeResult {
    std::string report;
    std::vector<TimedProducts> products;  // with the right sums
    int exit_code = 0;   // as runc and crun give it: 128 + signal
    bool killed = false; // by us
};

[[nodiscard]] ProbeResult run_probe(const ProbeRun& run);

// "LD_LIBRARY_PATH=" + the folder of the fake vendor libraries.
[[nodiscard]] std::string with_fakes();

}  // namespace gantry::probe
