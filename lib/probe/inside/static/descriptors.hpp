// Makes a known set of descriptors of whatever was inherited.
#pragma once

namespace gantry::probe::inside {

struct Descriptors {
    int report = -1, challenge = -1;
};

// Afterwards 0 to 2 lead nowhere, two more are the report and the challenges, and
// nothing else is open. Gives both back under new numbers, -1 where one is not open.
//
// A check that hangs in the kernel keeps its descriptors for good: an engine's
// pipe among them would make the engine wait for its end. And a library that
// prints must not write into a device node that got number 1.
[[nodiscard]] Descriptors keep_only(int report_fd, int challenge_fd);

}  // namespace gantry::probe::inside
