// Runs gantry-probe as the launcher does, without the container: its report on
// one descriptor, a deadline, a signal afterwards if need be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gantry::probe {

struct ProbeRun {
    std::vector<std::string> nodes;        // ROLE:MAJOR:MINOR:PATH
    unsigned amd = 0, nvidia = 0;
    std::vector<std::string> environment;  // NAME=VALUE; nothing else is set
    std::string root;                      // chroot into it first; empty: not
    uid_t uid = 0;                         // becomes this user, without groups; 0: stays
    // Called with the process id once the report holds `wait_for`; the process is
    // killed afterwards.
    std::string wait_for;
    std::function<void(pid_t)> inspect;
};

struct ProbeResult {
    std::string report;
    int exit_code = 0;   // as runc and crun give it: 128 + signal
    bool killed = false; // by us
};

[[nodiscard]] ProbeResult run_probe(const ProbeRun& run);

// "LD_LIBRARY_PATH=" + the folder of the fake vendor libraries.
[[nodiscard]] std::string with_fakes();

}  // namespace gantry::probe
