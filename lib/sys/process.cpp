#include "sys/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace gantry::sys {

int become(const std::string& path, char* const* arguments, char* const* environment) {
    ::execve(path.c_str(), arguments, environment);
    return errno;
}

Status replace_stdin(const std::string& text) {
    const UniqueFd file(::memfd_create("gantry-stdin", MFD_CLOEXEC));
    std::string_view rest = text;
    while (file && !rest.empty()) {
        const ssize_t n = ::write(file.get(), rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    if (!file || !rest.empty() || ::lseek(file.get(), 0, SEEK_SET) != 0 ||
        ::dup2(file.get(), STDIN_FILENO) != STDIN_FILENO)
        return fail(Code::StateUnusable, "cannot pass on standard input: " + errno_text(errno),
                    "Check the memory and open-file limits of the engine");
    return {};
}

UniqueFd kill_process(pid_t pid) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (pidfd) ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
    return pidfd;
}

// pidfd_open(2): it polls as readable once the process has ended.
bool has_ended(const UniqueFd& process, std::chrono::steady_clock::time_point by) {
    if (!process) return true;
    pollfd polled{process.get(), POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            by - std::chrono::steady_clock::now());
        const int ready = ::poll(&polled, 1, static_cast<int>(std::max<long>(left.count(), 0)));
        if (ready >= 0 || errno != EINTR) return ready > 0;
    }
}

std::optional<std::chrono::nanoseconds> processor_time(pid_t pid) {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        return std::nullopt;
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace gantry::sys
