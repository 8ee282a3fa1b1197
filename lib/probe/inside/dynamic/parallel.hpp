// The same step on every GPU at once: most of what a driver does per GPU is waiting.
#pragma once

namespace gantry::probe::inside {

// Calls step(context, i) for 0 <= i < count and returns when all are done. Where
// the container's limits allow no thread, it is called here, one after another.
void in_parallel(unsigned count, void (*step)(void* context, unsigned index), void* context);

}  // namespace gantry::probe::inside
