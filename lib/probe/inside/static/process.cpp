#include "probe/inside/static/process.hpp"

#include <cstdio>

#include <unistd.h>

#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {

void report_process(int report_fd) {
    // More groups than these would not fit into a line.
    gid_t groups[256];
    const int count = ::getgroups(256, groups);
    char text[kMaxLineBytes / 2 + 1024] = "-";
    std::size_t size = 0;
    for (int i = 0; i < count; ++i)
        size += static_cast<std::size_t>(std::snprintf(text + size, sizeof text - size, "%s%u",
                                                       i == 0 ? "" : ",", groups[i]));
    ReportLine("process").number(::geteuid()).number(::getegid()).text(text).send(report_fd);
}

}  // namespace gantry::probe::inside
