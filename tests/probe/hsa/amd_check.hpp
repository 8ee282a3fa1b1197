// One check of AMD GPUs by gantry-probe, and what came of it.
#pragma once

#include <string>

#include "../program/run_probe.hpp"
#include "probe/report.hpp"

namespace gantry::probe {

inline constexpr unsigned kSize = 256;  // more than one group in each direction

struct AmdCheck {
    ProbeResult result;
    LibraryReport amd;
    bool ended = false;

    // Are all GPUs done, and is every sum of every product the right one?
    [[nodiscard]] bool right() const;
    // The only GPU's, where there is one.
    [[nodiscard]] const GpuReport& gpu() const { return amd.gpus.at(0); }
};

// `libraries`: the folder that LD_LIBRARY_PATH names; `orders` for the fake.
[[nodiscard]] AmdCheck check_amd(ProbeRun run, const std::string& libraries,
                                 const std::string& orders);
// With one GPU, one round, size kSize.
[[nodiscard]] AmdCheck check_amd(const std::string& libraries, const std::string& orders);

// The real path of a library that the loader finds; empty where it does not.
[[nodiscard]] std::string installed(const char* soname);

}  // namespace gantry::probe
