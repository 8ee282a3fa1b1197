// Verbs of a container with a record that bring a document of their own: what
// the edit gave the main process and the container, the engine does not know
// of, so its document lacks it. It is completed in place.
#pragma once

#include "app/record.hpp"
#include "base/error.hpp"
#include "oci-spec/runtime_argv.hpp"

namespace gantry::app {

// `exec --process FILE`: groups and variables of the main process. Without a
// file (a person's `runc exec ID CMD`) nothing is done: the low-level runtime
// takes the process from its own copy of the edited config.json.
[[nodiscard]] Status complete_exec(const Record& record, const oci::RuntimeArgv& arguments);

// `update --resources FILE`, or "-" for stdin: the device rules, where it has a
// list of its own. crun puts such a list in the place of the container's.
[[nodiscard]] Status complete_update(const Record& record, const oci::RuntimeArgv& arguments);

// `delete`: the record goes, and the mount points that Gantry's create made.
void forget_container(const std::string& state_folder, const Record& record);

// Errors of exec and update: SpecUnreadable for a link or a device in the file's
// place and for a folder that is reached by somebody else's link, SpecTooLarge,
// SpecTooDeep, SpecMalformed, SpecWrite. A file that is not there or is no JSON
// object is the low-level runtime's to complain about.

}  // namespace gantry::app
