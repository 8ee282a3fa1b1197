// One backend a vendor library. Each loads its library, initialises it, counts
// the GPUs and reports what it finds; the deadline for it is the launcher's.
#pragma once

namespace gantry::probe::inside {

void count_cuda_devices(int report_fd);  // NVIDIA, libcuda.so.1
void count_hsa_agents(int report_fd);    // AMD, libhsa-runtime64.so.1

}  // namespace gantry::probe::inside
