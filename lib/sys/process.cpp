#include "sys/process.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.hpp"

namespace gantry::sys {

int become(const std::string& path, char* const* arguments, char* const* environment) {
    ::execve(path.c_str(), arguments, environment);
    return errno;
}

void kill_process(pid_t pid) {
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (pidfd) ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace gantry::sys
