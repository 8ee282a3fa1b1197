// What the HSA runtime says about its agents: processors and GPUs.
#pragma once

#include "probe/inside/dynamic/hsa_runtime.hpp"
#include "probe/inside/dynamic/task.hpp"
#include "probe/kernels/embedded.hpp"

namespace gantry::probe::inside {

struct HsaAgents {
    HsaAgent gpus[kMaxGpus];
    unsigned gpu_count = 0;  // all of them, also those beyond kMaxGpus
    HsaAgent cpu = {0};      // the first one: its memory is what the GPUs answer into
    unsigned cpu_count = 0;
};
[[nodiscard]] HsaStatus find_agents(const HsaRuntime& runtime, HsaAgents& agents);

struct HsaDescription {
    char pci[24] = "";     // "0000:03:00.0"
    char target[32] = "";  // "gfx1030", as the runtime sees it: an override shows
    char name[kHsaNameBytes] = "";
    std::uint32_t units = 0;
    // Ours for the instruction sets that the agent lists, in its order: its own
    // one first, then, on runtimes that know them, the generic one of its family.
    const CodeObject* code_object = nullptr;
};
// Two steps, for two calls that may fail: what it is, and what it takes.
[[nodiscard]] HsaStatus describe(const HsaRuntime& runtime, HsaAgent agent,
                                 HsaDescription& description);
[[nodiscard]] HsaStatus find_code_object(const HsaRuntime& runtime, HsaAgent agent,
                                         HsaDescription& description);

// A pool that memory may be taken from; handle 0 where there is none.
struct HsaMemory {
    HsaPool pool = {0};
    std::size_t size = 0;
};
// `flags`: one that it should have. For a GPU's own memory another one does too.
[[nodiscard]] HsaStatus find_memory(const HsaRuntime& runtime, HsaAgent agent,
                                    std::uint32_t flags, HsaMemory& memory);

}  // namespace gantry::probe::inside
