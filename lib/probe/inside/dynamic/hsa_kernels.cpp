#include "probe/inside/dynamic/hsa_kernels.hpp"

namespace gantry::probe::inside {

HsaFailure HsaKernels::load(const HsaRuntime& runtime, HsaAgent agent,
                            const CodeObject& code_object) {
    hsa_ = &runtime;
    HsaStatus status = hsa_->reader_create(code_object.data, code_object.size, &reader_);
    if (status != kHsaSuccess) return {"hsa_code_object_reader_create_from_memory", status};
    status = hsa_->executable_create(kHsaBaseProfile, kHsaDefaultRounding, nullptr, &executable_);
    if (status != kHsaSuccess) return {"hsa_executable_create_alt", status};
    status = hsa_->executable_load(executable_, agent, reader_, nullptr, nullptr);
    if (status != kHsaSuccess) return {"hsa_executable_load_agent_code_object", status};
    status = hsa_->executable_freeze(executable_, nullptr);
    if (status != kHsaSuccess) return {"hsa_executable_freeze", status};

    const struct {
        const char* name;  // of the descriptor, not of the code
        HsaKernel* kernel;
    } kernels[] = {{"gantry_fill.kd", &fill},
                   {"gantry_poison.kd", &poison},
                   {"gantry_sgemm.kd", &product},
                   {"gantry_rowdot.kd", &sums},
                   {"gantry_evidence.kd", &evidence}};
    for (const auto& row : kernels)
        if (const HsaFailure failure = find(row.name, agent, *row.kernel); failure.call)
            return failure;
    return {};
}

HsaFailure HsaKernels::find(const char* name, HsaAgent agent, HsaKernel& kernel) const {
    HsaSymbol symbol = {0};
    HsaStatus status = hsa_->executable_symbol(executable_, name, &agent, &symbol);
    if (status != kHsaSuccess) return {"hsa_executable_get_symbol_by_name", status};
    const struct {
        unsigned attribute;
        void* value;
    } questions[] = {{kHsaKernelObject, &kernel.object},
                     {kHsaKernelPrivateBytes, &kernel.private_bytes},
                     {kHsaKernelGroupBytes, &kernel.group_bytes}};
    for (const auto& question : questions) {
        status = hsa_->symbol_info(symbol, question.attribute, question.value);
        if (status != kHsaSuccess) return {"hsa_executable_symbol_get_info", status};
    }
    return {};
}

void HsaKernels::unload() {
    if (executable_.handle != 0) (void)hsa_->executable_destroy(executable_);
    if (reader_.handle != 0) (void)hsa_->reader_destroy(reader_);
}

}  // namespace gantry::probe::inside
