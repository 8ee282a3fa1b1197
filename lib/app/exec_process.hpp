// `exec` into a container with a record: what the edit gave the main process,
// a process that joins it later lacks, because the engine wrote its description
// without knowing of it.
#pragma once

#include "app/record.hpp"
#include "base/error.hpp"
#include "oci-spec/runtime_argv.hpp"

namespace gantry::app {

// Completes the file of `exec --process FILE` in place, atomically, by the
// recorded groups and variables. Without a file (a person's `runc exec ID CMD`)
// nothing is done: the low-level runtime takes the process from its own copy of
// the edited config.json. Errors: SpecUnreadable for a link or a device in the
// file's place, SpecTooLarge, SpecTooDeep, SpecMalformed, SpecWrite. A file that
// is not there or is not JSON is the low-level runtime's to complain about.
[[nodiscard]] Status complete_exec_process(const Record& record,
                                           const oci::RuntimeArgv& arguments);

}  // namespace gantry::app
