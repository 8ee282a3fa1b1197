#include "probe/inside/static/environment.hpp"

#include <cstdlib>

#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

// ld.so(8): foreign code, a run that only lists libraries, files written.
// The vendors': a tool or a model in the place of the GPU (HSA_MODEL_*: ROCm 7's
// software GPU), profilers that a library loads by itself.
constexpr const char* kRemoved[] = {
    "LD_PRELOAD", "LD_AUDIT", "LD_TRACE_LOADED_OBJECTS", "LD_DEBUG", "LD_DEBUG_OUTPUT",
    "LD_PROFILE", "LD_PROFILE_OUTPUT",
    "HSA_TOOLS_LIB", "HSA_MODEL_TOPOLOGY", "HSA_MODEL_LIB", "ROCP_TOOL_LIB",
    "ROCP_TOOL_LIBRARIES", "ROCPROFILER_LIBRARY",
    "CUDA_INJECTION64_PATH", "CUDA_INJECTION32_PATH", "NVTX_INJECTION64_PATH",
};

// LD_LIBRARY_PATH stays as well: it decides what the container's own process loads.
constexpr const char* kReported[] = {
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION",
    "CUDA_MPS_PIPE_DIRECTORY",
};

}  // namespace

void clean_environment(int report_fd) {
    for (const char* const name : kRemoved) {
        if (!std::getenv(name)) continue;
        ::unsetenv(name);
        send_note(report_fd, "ignored in the check's environment: ", name);
    }
    for (const char* const name : kReported)
        if (const char* const value = std::getenv(name))
            ReportLine("variable").text(name).text(value).send(report_fd);
    // The driver would write into the home folder of the image.
    ::setenv("CUDA_CACHE_DISABLE", "1", 1);
}

}  // namespace gantry::probe::inside
