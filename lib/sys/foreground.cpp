#include "sys/foreground.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.hpp"

namespace gantry::sys {
namespace {

// Waits for the child, and passes on what comes meanwhile.
int wait_and_pass_on(pid_t child, const sigset_t& all) {
    for (;;) {
        siginfo_t info{};
        const int signal = ::sigwaitinfo(&all, &info);
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child) return status;
        // What the kernel sends (^C at the terminal) the child has got itself.
        if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) ::kill(child, signal);
    }
}

}  // namespace

Ended run_in_foreground(const std::string& path, char* const* arguments,
                        char* const* environment) {
    Ended ended;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        ended.cause = errno;
        return ended;
    }
    const UniqueFd read(ends[0]);
    UniqueFd write(ends[1]);
    sigset_t all, before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    // Where SIGCHLD is ignored the kernel throws the exit status away.
    struct sigaction standard {}, inherited {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &inherited);
    const pid_t child = ::fork();
    if (child == 0) {
        ::sigaction(SIGCHLD, &inherited, nullptr);
        ::sigprocmask(SIG_SETMASK, &before, nullptr);
        ::execve(path.c_str(), arguments, environment);
        const int cause = errno;
        (void)!::write(write.get(), &cause, sizeof cause);
        ::_exit(127);
    }
    if (child < 0) {
        ended.cause = errno;
    } else {
        write.reset();
        const int status = wait_and_pass_on(child, all);
        if (::read(read.get(), &ended.cause, sizeof ended.cause) != sizeof ended.cause)
            ended.cause = 0;
        ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    ::sigaction(SIGCHLD, &inherited, nullptr);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return ended;
}

}  // namespace gantry::sys
