// The dynamic part of gantry-probe: REPORT_FD AMD NVIDIA. It runs under the
// image's own loader and C library, whatever their age, so it is linked without
// the C++ library and against no glibc symbol younger than 2.17
// (scripts/check-glibc-floor). That it runs at all is a finding.
#include <unistd.h>

#include "probe/inside/decimal.hpp"
#include "probe/inside/dynamic/backends.hpp"
#include "probe/inside/own_deadline.hpp"
#include "probe/inside/report_line.hpp"

int main(int argc, char** argv) {
    using namespace gantry::probe::inside;
    unsigned report = 0, amd = 0, nvidia = 0;
    if (argc != 4 || !parse_decimal(argv[1], report) || !parse_decimal(argv[2], amd) ||
        !parse_decimal(argv[3], nvidia))
        return 2;
    const int report_fd = static_cast<int>(report);

    end_by_own_deadline();
    ReportLine("loader").text("yes").send(report_fd);
    if (nvidia != 0) count_cuda_devices(report_fd);
    if (amd != 0) count_hsa_agents(report_fd);
    ReportLine("end").send(report_fd);
    // Not `return`: ROCm's runtime aborts in its destructors after hsa_shut_down.
    ::_exit(0);
}
