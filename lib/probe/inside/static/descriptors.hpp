// Makes a known set of descriptors of whatever was inherited.
#pragma once

namespace gantry::probe::inside {

// Afterwards 0 to 2 lead nowhere, one more is the report, and nothing else is
// open. Returns the report's new number, -1 where `report_fd` is not open.
//
// A check that hangs in the kernel keeps its descriptors for good: an engine's
// pipe among them would make the engine wait for its end. And a library that
// prints must not write into a device node that got number 1.
[[nodiscard]] int keep_only_report(int report_fd);

}  // namespace gantry::probe::inside
