// Of two creates of the same id at once, one goes on. The record is the claim:
// it names the process that made it, which stays the same process when it
// becomes the low-level runtime.
#pragma once

#include <string>

#include "app/record.hpp"
#include "base/error.hpp"

namespace gantry::app {

// "PID START": no later process has both.
[[nodiscard]] std::string own_process();
[[nodiscard]] bool process_lives(const std::string& process);

// Writes the record, `creator` filled in. Errors: IdInUse where a container of
// that id exists or another create of it is under way; StateUnusable.
[[nodiscard]] Status claim_record(const std::string& state_folder, Record record,
                                  const Story& story);

}  // namespace gantry::app
