// One backend a vendor library. Each loads its library, initialises it, counts
// the GPUs, computes on those that were granted and reports what it finds; the
// deadline for it is the launcher's.
#pragma once

#include "probe/inside/dynamic/task.hpp"

namespace gantry::probe::inside {

void check_cuda_gpus(const Task& task);  // NVIDIA, libcuda.so.1
void check_hsa_gpus(const Task& task);   // AMD, libhsa-runtime64.so.1
void check_hip_gpus(const Task& task);   // AMD, libamdhip64.so: the other choice

}  // namespace gantry::probe::inside
