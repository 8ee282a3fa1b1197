// Looks at one granted node: is it there, does it open, does its driver answer.
#pragma once

#include "probe/inside/static/arguments.hpp"
#include "probe/inside/static/driver_majors.hpp"

namespace gantry::probe::inside {

void check_node(int report_fd, const NodeArgument& node, const DriverMajors& majors);

}  // namespace gantry::probe::inside
