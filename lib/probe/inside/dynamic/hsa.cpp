// AMD's HSA runtime. Own declarations of the few calls, so that building needs
// no ROCm: hsa.h of the HSA runtime specification 1.2, whose binary interface
// libhsa-runtime64.so.1 has kept from ROCm 1 to 7.
#include <cstdint>

#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/dynamic/library.hpp"
#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

using HsaStatus = std::uint32_t;
struct HsaAgent {
    std::uint64_t handle;
};
constexpr HsaStatus kSuccess = 0;
constexpr std::uint32_t kAgentInfoDevice = 17;  // HSA_AGENT_INFO_DEVICE
constexpr std::uint32_t kDeviceTypeGpu = 1;     // HSA_DEVICE_TYPE_GPU

struct Runtime {
    HsaStatus (*init)();
    HsaStatus (*shut_down)();
    HsaStatus (*iterate_agents)(HsaStatus (*visit)(HsaAgent, void*), void* data);
    HsaStatus (*agent_info)(HsaAgent agent, std::uint32_t attribute, void* value);
    HsaStatus (*status_string)(HsaStatus status, const char** text);
};

const char* text_of(const Runtime& runtime, HsaStatus status) {
    const char* text = nullptr;
    return runtime.status_string && runtime.status_string(status, &text) == kSuccess ? text
                                                                                      : nullptr;
}

struct Count {
    const Runtime& runtime;
    unsigned gpus;
};

HsaStatus count_if_gpu(HsaAgent agent, void* data) {
    auto& count = *static_cast<Count*>(data);
    std::uint32_t type = 0;
    const HsaStatus status = count.runtime.agent_info(agent, kAgentInfoDevice, &type);
    if (status == kSuccess && type == kDeviceTypeGpu) ++count.gpus;
    return status;
}

bool get_functions(VendorLibrary& library, Runtime& runtime) {
    if (!library.get(runtime.init, "hsa_init")) return false;
    library.report_loaded(reinterpret_cast<void*>(runtime.init));
    library.get_optional(runtime.status_string, "hsa_status_string");
    return library.get(runtime.shut_down, "hsa_shut_down") &&
           library.get(runtime.iterate_agents, "hsa_iterate_agents") &&
           library.get(runtime.agent_info, "hsa_agent_get_info");
}

}  // namespace

void count_hsa_agents(int report_fd) {
    // ROCm's own packages are in the loader's cache only where their post-install
    // script ran; ollama's images carry ROCm in a folder of their own.
    constexpr const char* kFolders[] = {"/opt/rocm/lib", "/opt/rocm*/lib", "/usr/lib/ollama/rocm",
                                        nullptr};
    VendorLibrary library(report_fd, "amd");
    if (!library.load("libhsa-runtime64.so.1", kFolders)) return;
    Runtime runtime = {};
    if (!get_functions(library, runtime)) return;

    send_stage(report_fd, "hsa_init");
    if (const HsaStatus status = runtime.init(); status != kSuccess)
        return library.report_failed("hsa_init", status, text_of(runtime, status));

    // hsa_init may well succeed with no GPU at all: the count is what tells.
    send_stage(report_fd, "hsa_iterate_agents");
    Count count = {runtime, 0};
    if (const HsaStatus status = runtime.iterate_agents(count_if_gpu, &count); status != kSuccess)
        return library.report_failed("hsa_iterate_agents", status, text_of(runtime, status));
    ReportLine("devices").text("amd").number(count.gpus).send(report_fd);

    send_stage(report_fd, "hsa_shut_down");
    if (const HsaStatus status = runtime.shut_down(); status != kSuccess)
        library.report_failed("hsa_shut_down", status, text_of(runtime, status));
}

}  // namespace gantry::probe::inside
