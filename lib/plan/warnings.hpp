// What lets a GPU program end an hour later though its GPU is fine. Never an
// error: many programs need neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oci-spec/spec_view.hpp"

namespace gantry::plan {

// What the spec does not tell.
struct ResourceFacts {
    std::optional<std::uint64_t> bound_shm_bytes;    // size of what is bound to /dev/shm
    std::optional<std::uint64_t> inherited_memlock;  // soft limit of the engine's process
};

struct WarningSwitches {
    bool shm = true;
    bool memlock = true;

    bool operator==(const WarningSwitches&) const = default;
};

// The mount that counts at /dev/shm: the last one.
[[nodiscard]] const oci::SpecMount* shm_mount(const oci::SpecView& spec);

// One sentence each, with the exact option to add. `amd` and `nvidia`: whose
// GPUs the container has.
[[nodiscard]] std::vector<std::string> resource_warnings(const oci::SpecView& spec,
                                                         const ResourceFacts& facts,
                                                         const WarningSwitches& switches, bool amd,
                                                         bool nvidia);

}  // namespace gantry::plan
