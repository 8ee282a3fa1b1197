#include "probe/inside/dynamic/hsa_agent.hpp"

#include <cstdio>
#include <cstring>

namespace gantry::probe::inside {
namespace {

struct AgentVisit {
    const HsaRuntime& runtime;
    HsaAgents& agents;
};

HsaStatus visit_agent(HsaAgent agent, void* data) {
    const auto& visit = *static_cast<AgentVisit*>(data);
    std::uint32_t type = 0;
    const HsaStatus status = visit.runtime.agent_info(agent, kHsaAgentDevice, &type);
    if (status != kHsaSuccess) return status;
    HsaAgents& agents = visit.agents;
    if (type == kHsaDeviceCpu && agents.cpu_count++ == 0) agents.cpu = agent;
    if (type == kHsaDeviceGpu) {
        if (agents.gpu_count < kMaxGpus) agents.gpus[agents.gpu_count] = agent;
        ++agents.gpu_count;
    }
    return kHsaSuccess;
}

// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" to "gfx90a".
void shorten(const char* isa, char (&target)[32]) {
    const char* const dashes = std::strstr(isa, "--");
    if (dashes) isa = dashes + 2;
    std::snprintf(target, sizeof target, "%.*s", static_cast<int>(std::strcspn(isa, ":")), isa);
}

const CodeObject* code_object_for(const char* target) {
    const CodeObject* const objects = code_objects();
    for (unsigned i = 0; i < code_object_count(); ++i)
        if (std::strcmp(objects[i].isa, target) == 0) return &objects[i];
    return nullptr;
}

struct IsaVisit {
    const HsaRuntime& runtime;
    HsaDescription& description;
};

HsaStatus visit_isa(HsaIsa isa, void* data) {
    const auto& visit = *static_cast<IsaVisit*>(data);
    std::uint32_t length = 0;
    char name[256] = "";
    HsaStatus status = visit.runtime.isa_info(isa, kHsaIsaNameLength, &length);
    if (status != kHsaSuccess || length >= sizeof name) return status;
    status = visit.runtime.isa_info(isa, kHsaIsaName, name);
    if (status != kHsaSuccess) return status;
    name[length] = '\0';
    char target[32];
    shorten(name, target);
    HsaDescription& description = visit.description;
    if (description.target[0] == '\0') std::strcpy(description.target, target);
    if (!description.code_object) description.code_object = code_object_for(target);
    return kHsaSuccess;
}

struct PoolVisit {
    const HsaRuntime& runtime;
    const std::uint32_t flags;
    HsaMemory& memory;
    bool fits;
};

HsaStatus visit_pool(HsaPool pool, void* data) {
    auto& visit = *static_cast<PoolVisit*>(data);
    std::uint32_t segment = ~kHsaGlobalSegment, flags = 0;
    bool may_allocate = false;
    std::size_t size = 0;
    const struct {
        unsigned attribute;
        void* value;
    } questions[] = {{kHsaPoolSegment, &segment},
                     {kHsaPoolMayAllocate, &may_allocate},
                     {kHsaPoolFlags, &flags},
                     {kHsaPoolSize, &size}};
    for (const auto& question : questions) {
        // Flags are defined for global memory alone.
        if (question.attribute == kHsaPoolFlags && segment != kHsaGlobalSegment)
            return kHsaSuccess;
        const HsaStatus status =
            visit.runtime.pool_info(pool, question.attribute, question.value);
        if (status != kHsaSuccess) return status;
    }
    const bool fits = (flags & visit.flags) != 0;
    if (may_allocate && (visit.memory.pool.handle == 0 || (fits && !visit.fits))) {
        visit.memory = {pool, size};
        visit.fits = fits;
    }
    return kHsaSuccess;
}

}  // namespace

HsaStatus find_agents(const HsaRuntime& runtime, HsaAgents& agents) {
    AgentVisit visit = {runtime, agents};
    return runtime.iterate_agents(visit_agent, &visit);
}

HsaStatus describe(const HsaRuntime& runtime, HsaAgent agent, HsaDescription& description) {
    std::uint32_t bdf = 0, domain = 0;
    // Runtimes of before ROCm 3.5 know no domain; theirs are hosts with one.
    (void)runtime.agent_info(agent, kHsaAgentDomain, &domain);
    (void)runtime.agent_info(agent, kHsaAgentProductName, description.name);
    description.name[sizeof description.name - 1] = '\0';
    HsaStatus status = runtime.agent_info(agent, kHsaAgentBdf, &bdf);
    if (status == kHsaSuccess)
        status = runtime.agent_info(agent, kHsaAgentComputeUnits, &description.units);
    if (status != kHsaSuccess) return status;
    // Above bit 16 is the number of a partition.
    std::snprintf(description.pci, sizeof description.pci, "%04x:%02x:%02x.%x", domain,
                  bdf >> 8 & 0xFF, bdf >> 3 & 0x1F, bdf & 7);
    return kHsaSuccess;
}

HsaStatus find_code_object(const HsaRuntime& runtime, HsaAgent agent,
                           HsaDescription& description) {
    IsaVisit visit = {runtime, description};
    return runtime.iterate_isas(agent, visit_isa, &visit);
}

HsaStatus find_memory(const HsaRuntime& runtime, HsaAgent agent, std::uint32_t flags,
                      HsaMemory& memory) {
    PoolVisit visit = {runtime, flags, memory, false};
    return runtime.iterate_pools(agent, visit_pool, &visit);
}

}  // namespace gantry::probe::inside
