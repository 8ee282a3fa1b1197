// What is done to whole processes, this one included.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace gantry::sys {

// execve. Returns only where that failed, with errno.
[[nodiscard]] int become(const std::string& path, char* const* arguments, char* const* environment);

// This process's standard input becomes `text`, at its beginning. Error:
// StateUnusable.
[[nodiscard]] Status replace_stdin(const std::string& text);

// SIGKILL. Returns the process's pidfd, for has_ended(); empty where it was gone.
UniqueFd kill_process(pid_t pid);

// Waits until then at most. A process that the kernel does not let go of has not
// ended after SIGKILL, a zombie has.
[[nodiscard]] bool has_ended(const UniqueFd& process, std::chrono::steady_clock::time_point by);

// Processor time that all threads of the process used so far; nullopt where it is gone.
[[nodiscard]] std::optional<std::chrono::nanoseconds> processor_time(pid_t pid);

// Processes whose parent ended become children of this one, so that their exit
// status can be told.
void adopt_orphans();

}  // namespace gantry::sys
