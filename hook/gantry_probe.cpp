// gantry-probe: the check that runs in the container, as the container's user.
// This is its static part; it becomes the dynamic part where a vendor's library
// is to be tried. What it finds goes to the report (probe/report.hpp), never to
// standard output, and its exit status says nothing but that it came to an end.
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "probe/inside/own_deadline.hpp"
#include "probe/inside/report_line.hpp"
#include "probe/inside/static/arguments.hpp"
#include "probe/inside/static/descriptors.hpp"
#include "probe/inside/static/dynamic_exec.hpp"
#include "probe/inside/static/environment.hpp"
#include "probe/inside/static/node_check.hpp"
#include "probe/inside/static/process.hpp"

int main(int argc, char** argv) {
    using namespace gantry::probe;
    using namespace gantry::probe::inside;

    Arguments arguments;
    if (!parse_arguments(argc, argv, arguments)) return 2;
    const Descriptors descriptors = keep_only(static_cast<int>(arguments.report_fd),
                                              static_cast<int>(arguments.challenge_fd));
    const int report_fd = descriptors.report;
    if (report_fd < 0) return 2;

    end_by_own_deadline();
    // A library that crashes must not leave a core file in the image.
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);

    ReportLine("begin").number(kProtocolVersion).send(report_fd);
    report_process(report_fd);
    clean_environment(report_fd);

    const DriverMajors majors;
    for (unsigned i = 0; i < arguments.node_count; ++i) {
        NodeArgument node;
        if (parse_node(arguments.nodes[i], node)) check_node(report_fd, node, majors);
    }

    const bool libraries =
        std::strcmp(arguments.amd, "-") != 0 || std::strcmp(arguments.nvidia, "-") != 0;
    if (libraries) {
        send_stage(report_fd, kStageLoader);
        const int error = exec_dynamic_part(descriptors, arguments);
        ReportLine("loader").text("no").number(error).send(report_fd);
    }
    ReportLine("end").send(report_fd);
    return 0;
}
