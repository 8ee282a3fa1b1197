// The check ends by itself, should whoever started it be killed meanwhile: a
// hung library must not hold a GPU for ever.
#pragma once

namespace gantry::probe::inside {

// More than any configuration lets the check take (probe.timeout, 90 s).
inline constexpr unsigned kOwnDeadlineSeconds = 95;

// A handler, because the check is the first process of its pid namespace: there
// the kernel drops a signal whose action is the default one. An alarm survives
// exec and a handler does not, so each part calls this.
// `further`: seconds that the task itself takes beyond that (long measurements).
void end_by_own_deadline(unsigned further = 0);

}  // namespace gantry::probe::inside
