// The compiled kernels, loaded for one GPU.
#pragma once

#include "probe/inside/dynamic/hsa_runtime.hpp"
#include "probe/kernels/embedded.hpp"

namespace gantry::probe::inside {

struct HsaKernel {
    std::uint64_t object = 0;  // where the GPU finds it
    std::uint32_t private_bytes = 0, group_bytes = 0;
};

struct HsaFailure {
    const char* call = nullptr;  // null: none failed
    HsaStatus status = kHsaSuccess;
};

class HsaKernels {
public:
    [[nodiscard]] HsaFailure load(const HsaRuntime& runtime, HsaAgent agent,
                                  const CodeObject& code_object);
    void unload();

    HsaKernel fill, poison, product, sums, evidence;

private:
    [[nodiscard]] HsaFailure find(const char* name, HsaAgent agent, HsaKernel& kernel) const;

    const HsaRuntime* hsa_ = nullptr;
    HsaReader reader_ = {0};
    HsaExecutable executable_ = {0};
};

}  // namespace gantry::probe::inside
