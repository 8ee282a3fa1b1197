// The dynamic part of gantry-probe: REPORT_FD CHALLENGE_FD AMD NVIDIA GEMM. It runs
// under the image's own loader and C library, whatever their age, so it is linked
// without the C++ library and against no glibc symbol younger than 2.17
// (scripts/check-glibc-floor). That it runs at all is a finding.
//
// AMD and NVIDIA: the granted GPUs (task.hpp), "-" for none.
// GEMM: SIZE:ROUNDS:BUDGET_MS:SEED_A:SEED_B:hsa or hip, numbers in decimal.
#include <cstring>

#include <unistd.h>

#include "probe/inside/decimal.hpp"
#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/own_deadline.hpp"
#include "probe/inside/report_line.hpp"
#include "probe/kernels/gemm_data.hpp"

// Absent under musl, also where its loader has the name of glibc's (libc6-compat).
extern "C" const char* gnu_get_libc_version() __attribute__((weak));

namespace gantry::probe::inside {
namespace {

bool parse_gemm(const char* text, Task& task, bool& hip) {
    unsigned seed_a = 0, seed_b = 0;
    if (!take_decimal(text, ':', task.size) || !take_decimal(text, ':', task.rounds) ||
        !take_decimal(text, ':', task.budget_ms) || !take_decimal(text, ':', seed_a) ||
        !take_decimal(text, ':', seed_b))
        return false;
    task.seed_a = seed_a;
    task.seed_b = seed_b;
    hip = std::strcmp(text, "hip") == 0;
    return (hip || std::strcmp(text, "hsa") == 0) && task.size <= kMaxSize &&
           task.size % kTile == 0;
}

}  // namespace
}  // namespace gantry::probe::inside

int main(int argc, char** argv) {
    using namespace gantry::probe::inside;
    unsigned report = 0, challenge = 0;
    bool hip = false;
    Task task;
    if (argc != 6 || !parse_decimal(argv[1], report) || !parse_decimal(argv[2], challenge) ||
        !parse_gemm(argv[5], task, hip))
        return 2;
    task.report_fd = static_cast<int>(report);
    task.challenge_fd = static_cast<int>(challenge);

    end_by_own_deadline(2 * task.rounds * (task.budget_ms / 1000));
    if (!gnu_get_libc_version) {
        ReportLine("loader").text("no").number(0).send(task.report_fd);
        ReportLine("end").send(task.report_fd);
        ::_exit(0);
    }
    ReportLine("loader").text("yes").send(task.report_fd);
    const auto check = [&task](const char* gpus, void (*backend)(const Task&)) {
        task.gpus = gpus;
        if (std::strcmp(gpus, "-") != 0) backend(task);
    };
    check(argv[4], check_cuda_gpus);
    check(argv[3], hip ? check_hip_gpus : check_hsa_gpus);
    ReportLine("end").send(task.report_fd);
    // Not `return`: ROCm's runtime aborts in its destructors after hsa_shut_down.
    ::_exit(0);
}
