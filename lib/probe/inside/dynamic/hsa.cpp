// What is checked through AMD's HSA runtime as a whole, before its GPUs are taken
// one by one.
#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/dynamic/gemm_run.hpp"
#include "probe/inside/dynamic/hsa_agent.hpp"
#include "probe/inside/dynamic/hsa_gpu.hpp"
#include "probe/inside/dynamic/rocm_folders.hpp"
#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

constexpr char kVendor[] = "amd";
// The name without a version is the one that copies in Python's packages have.
constexpr const char* kNames[] = {"libhsa-runtime64.so.1", "libhsa-runtime64.so", nullptr};

struct Gpus {
    HsaGpu list[kMaxGpus];
    unsigned count = 0;
};

// Without a handler the runtime ends the process where a GPU faults.
HsaStatus on_event(const HsaEvent* event, void* data) {
    if (event->type > kHsaLastAgentEvent) return kHsaSuccess;
    const HsaStatus status = event->type == kHsaMemoryFaultEvent ? kHsaMemoryFault : kHsaException;
    auto& gpus = *static_cast<Gpus*>(data);
    for (unsigned i = 0; i < gpus.count; ++i) gpus.list[i].fault(event->agent, status);
    return kHsaSuccess;
}

// True where all went well enough for the runtime to be shut down in order.
bool compute(const HsaRuntime& runtime, const Task& task, const HsaAgents& agents) {
    static Gpus gpus;
    Grants grants(task);
    for (unsigned index = 0; index < agents.gpu_count && index < kMaxGpus; ++index) {
        GpuReport report(task.report_fd, kVendor, index);
        HsaDescription description;
        const HsaAgent agent = agents.gpus[index];
        const auto ok = [&](const char* call, HsaStatus status) {
            if (status != kHsaSuccess) report.failed(call, status, runtime.name_of(status));
            return status == kHsaSuccess;
        };
        if (!ok("hsa_agent_get_info", describe(runtime, agent, description)) ||
            !grants.take(description.pci) ||
            !ok("hsa_agent_iterate_isas", find_code_object(runtime, agent, description)))
            continue;
        report.device(description.pci, description.target, description.units, description.name);
        gpus.list[gpus.count++] = HsaGpu(&runtime, agent, agents.cpu, description, report);
    }
    if (runtime.register_event_handler) (void)runtime.register_event_handler(on_event, &gpus);
    GemmRun<HsaGpu>(task, kVendor, gpus.list, gpus.count).run();
    for (unsigned i = 0; i < gpus.count; ++i)
        if (gpus.list[i].has_fault()) return false;
    return true;
}

}  // namespace

void check_hsa_gpus(const Task& task) {
    VendorLibrary library(task.report_fd, kVendor);
    if (!library.load(kNames, rocm_folders())) return;
    static HsaRuntime runtime;
    if (!library.get(runtime.init, "hsa_init")) return;
    library.report_loaded(reinterpret_cast<void*>(runtime.init));
    if (!runtime.get_calls(library)) return;

    send_stage(task.report_fd, "hsa_init");
    if (const HsaStatus status = runtime.init(); status != kHsaSuccess)
        return library.report_failed("hsa_init", status, runtime.name_of(status));

    // hsa_init may well succeed with no GPU at all: the count is what tells.
    send_stage(task.report_fd, "hsa_iterate_agents");
    static HsaAgents agents;
    if (const HsaStatus status = find_agents(runtime, agents); status != kHsaSuccess)
        return library.report_failed("hsa_iterate_agents", status, runtime.name_of(status));
    // ROCm 5.2 also succeeds where it could not read the host's topology at all.
    if (agents.cpu_count == 0) send_note(task.report_fd, "the HSA runtime shows no processor");
    ReportLine("devices").text(kVendor).number(agents.gpu_count).send(task.report_fd);
    if (task.size > 0 && !compute(runtime, task, agents)) return;

    send_stage(task.report_fd, "hsa_shut_down");
    if (const HsaStatus status = runtime.shut_down(); status != kHsaSuccess)
        library.report_failed("hsa_shut_down", status, runtime.name_of(status));
}

}  // namespace gantry::probe::inside
