// Another program in this one's place, where something is left to do after it.
#pragma once

#include <string>

namespace gantry::sys {

struct Ended {
    int cause = 0;      // errno where it could not be executed
    int exit_code = 0;
    int signal = 0;     // that ended it, 0: none
};

// Same descriptors, process group, signal mask and dispositions as execve would give
// it; signals that this process gets are passed on. Returns when it has ended.
[[nodiscard]] Ended run_in_foreground(const std::string& path, char* const* arguments,
                                      char* const* environment);

}  // namespace gantry::sys
