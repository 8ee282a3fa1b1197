// The signals that ask a program to end, held back while there is something to
// clear up first.
#pragma once

#include <signal.h>

#include "base/unique_fd.hpp"

namespace gantry::sys {

// As long as it lives HUP, INT, QUIT and TERM wait in a descriptor. Those that this
// process ignores (nohup) or blocks anyway stay as they are. After it the mask is as
// before, for the program that this process may become; what was not taken acts then.
class CaughtSignals {
public:
    CaughtSignals();
    ~CaughtSignals();
    CaughtSignals(const CaughtSignals&) = delete;
    CaughtSignals& operator=(const CaughtSignals&) = delete;

    // Readable once one has come; -1 where there is no descriptor to be had, and
    // then nothing is held back.
    [[nodiscard]] int fd() const { return fd_.get(); }
    // The signal that came, 0 where none did. Never blocks.
    [[nodiscard]] int take();

private:
    sigset_t before_{};
    UniqueFd fd_;
};

// Ends this process as the signal would have.
[[noreturn]] void end_by_signal(int signal);

}  // namespace gantry::sys
