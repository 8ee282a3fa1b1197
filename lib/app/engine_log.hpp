// How an error reaches the engine that called Gantry as its runtime, and
// through it the person.
#pragma once

#include <string>

#include "base/error.hpp"
#include "oci-spec/runtime_argv.hpp"

namespace gantry::app {

// Appends exactly one line to --log (a JSON object where --log-format json was
// given, else logfmt) and writes the same text to stderr. A log that cannot be
// opened is skipped: the exit status still says that it failed.
void report_to_engine(const oci::RuntimeArgv& arguments, const Error& error);

}  // namespace gantry::app
