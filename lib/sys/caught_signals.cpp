#include "sys/caught_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace gantry::sys {
namespace {

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

CaughtSignals::CaughtSignals() {
    ::sigprocmask(SIG_BLOCK, nullptr, &before_);
    sigset_t caught;
    ::sigemptyset(&caught);
    // A blocked signal is kept even where it is ignored (kernel/signal.c, sig_ignored).
    for (const int signal : kEnding)
        if (!is_ignored(signal) && ::sigismember(&before_, signal) == 0)
            ::sigaddset(&caught, signal);
    fd_.reset(::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
    if (fd_) ::sigprocmask(SIG_BLOCK, &caught, nullptr);
}

CaughtSignals::~CaughtSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

int CaughtSignals::take() {
    signalfd_siginfo info{};
    if (!fd_ || ::read(fd_.get(), &info, sizeof info) != sizeof info) return 0;
    return static_cast<int>(info.ssi_signo);
}

void end_by_signal(int signal) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::raise(signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(128 + signal);
}

}  // namespace gantry::sys
