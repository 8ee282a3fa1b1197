// Who checks: decides what the modes of the nodes mean.
#pragma once

namespace gantry::probe::inside {

void report_process(int report_fd);

}  // namespace gantry::probe::inside
