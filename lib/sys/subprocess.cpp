#include "sys/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.hpp"

namespace gantry::sys {
namespace {

using Clock = std::chrono::steady_clock;

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

// Lowest number that a descriptor is parked at while it waits for its own.
constexpr int kParking = 64;
constexpr std::size_t kMaxPassed = 16;
// A pipe holds 1 MiB at most; what comes later is not the child's.
constexpr int kReadsAfterEnd = 256;

struct Pipe {
    UniqueFd read, write;
};

bool make_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    pipe.read.reset(ends[0]);
    pipe.write.reset(ends[1]);
    return true;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> list;
    for (const std::string& string : strings) list.push_back(const_cast<char*>(string.c_str()));
    list.push_back(nullptr);
    return list;
}

// Between fork and exec; async-signal-safe calls only. Returns on failure.
void become(const Command& command, const std::vector<char*>& arguments,
            const std::vector<char*>& environment, int input, int output, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) return;  // the parent died before the line above
    // A process group of its own: a ^C at the terminal reaches the parent only.
    ::setpgid(0, 0);
    const int parked_output = ::fcntl(output, F_DUPFD_CLOEXEC, kParking);
    const int parked_input = ::fcntl(input, F_DUPFD_CLOEXEC, kParking);
    std::array<int, kMaxPassed> parked{};
    if (command.passed.size() > parked.size()) {
        errno = E2BIG;
        return;
    }
    for (std::size_t i = 0; i < command.passed.size(); ++i)
        parked[i] = ::fcntl(command.passed[i], F_DUPFD_CLOEXEC, kParking);
    if (parked_input < 0 || parked_output < 0) return;
    // dup2 to another number always clears close-on-exec on the copy.
    if (::dup2(parked_input, 0) < 0 || ::dup2(parked_output, 1) < 0 || ::dup2(parked_output, 2) < 0)
        return;
    int next = 3;
    for (std::size_t i = 0; i < command.passed.size(); ++i)
        if (parked[i] < 0 || ::dup2(parked[i], next++) < 0) return;
    if (::syscall(SYS_close_range, next, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        for (int fd = next; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // Linux < 5.11
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(command.path.c_str(), arguments.data(), environment.data());
}

// Reads what is there. Returns false at end of file.
bool drain(int fd, std::string& text, std::size_t max_bytes, bool* overflow) {
    std::array<char, 4096> buffer{};
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    const std::size_t room = max_bytes - std::min(max_bytes, text.size());
    text.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
    if (overflow && static_cast<std::size_t>(n) > room) *overflow = true;
    return true;
}

int milliseconds_until(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count() + 1, 0));
}

// As drain(), and tells the listener.
bool drain(Stream& stream) {
    const std::size_t before = stream.text.size();
    const bool open = drain(stream.fd, stream.text, stream.max_bytes, &stream.overflow);
    if (stream.on_data && stream.text.size() > before)
        stream.on_data(std::string_view(stream.text).substr(before));
    return open;
}

// Polls until the child has ended, the deadline has passed or interrupt_fd (unless
// -1) is readable. What the pipes
// still hold after the end is read, but nobody waits for their other ends: a
// process that the child left behind may keep them, and may even write on.
bool watch(int pidfd, int output_fd, Stream* stream, Completed& completed, std::size_t max_output,
           Clock::time_point deadline, int interrupt_fd) {
    std::array<pollfd, 4> polled{pollfd{pidfd, POLLIN, 0}, pollfd{output_fd, POLLIN, 0},
                                 pollfd{stream ? stream->fd : -1, POLLIN, 0},
                                 pollfd{interrupt_fd, POLLIN, 0}};
    bool ended = false;
    for (int reads_left = kReadsAfterEnd;;) {
        const Clock::time_point end = stream ? std::min(deadline, stream->deadline) : deadline;
        // Asked every time: a flood keeps poll from ever timing out.
        if (ended ? reads_left-- == 0 : Clock::now() >= end) return ended;
        const int timeout = ended ? 0 : milliseconds_until(end);
        const int ready = ::poll(polled.data(), polled.size(), timeout);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0 || (ready == 0 && ended)) return ended;
        if (polled[3].revents && !ended) {
            completed.interrupted = true;
            return false;
        }
        if (polled[0].revents) {
            ended = true;
            polled[0].fd = -1;
            polled[0].revents = 0;
        }
        if (polled[1].revents && !drain(output_fd, completed.output, max_output, nullptr))
            polled[1].fd = -1;
        if (polled[2].revents && !drain(*stream)) polled[2].fd = -1;
        if (ended && polled[1].fd < 0 && polled[2].fd < 0) return true;
    }
}

// The errno of a failed exec, 0 where it succeeded: then the pipe just ends,
// since its write end is close-on-exec.
int exec_error(int fd) {
    int error = 0;
    ssize_t n = 0;
    do n = ::read(fd, &error, sizeof error);
    while (n < 0 && errno == EINTR);
    return n == sizeof error ? error : 0;
}

// Where children are not waited for (SIGCHLD ignored, which is inherited), the
// kernel throws their exit status away.
class ChildrenWaitedFor {
public:
    ChildrenWaitedFor() {
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(SIGCHLD, &standard, &before_);
    }
    ~ChildrenWaitedFor() { ::sigaction(SIGCHLD, &before_, nullptr); }
    ChildrenWaitedFor(const ChildrenWaitedFor&) = delete;
    ChildrenWaitedFor& operator=(const ChildrenWaitedFor&) = delete;

private:
    struct sigaction before_ {};
};

}  // namespace

Result<Completed> run_command(const Command& command, Stream* stream,
                              const std::function<void()>& on_timeout) {
    const auto failed = [&](const char* step) {
        return fail(Code::RuntimeFailed, "cannot " + std::string(step) + " " +
                                             printable(command.path, 200) + ": " + errno_text(errno),
                    "Check that the file is an executable program for this machine");
    };
    Pipe input, output, status;
    if (!make_pipe(input) || !make_pipe(output) || !make_pipe(status)) return failed("make pipes for");
    input.write.reset();  // stdin is at its end
    const std::vector<char*> arguments = pointers(command.arguments);
    const std::vector<char*> environment = pointers(command.environment);
    const ChildrenWaitedFor children;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return failed("start");
    if (child == 0) {
        become(command, arguments, environment, input.read.get(),
               command.output >= 0 ? command.output : output.write.get(), parent);
        const int error = errno;
        (void)!::write(status.write.get(), &error, sizeof error);
        ::_exit(127);
    }
    output.write.reset();
    status.write.reset();
    if (const int error = exec_error(status.read.get())) {
        ::waitpid(child, nullptr, 0);
        errno = error;
        return failed("execute");
    }

    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    if (!pidfd) {
        const int cause = errno;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        errno = cause;
        return failed("watch");
    }
    Completed completed;
    completed.pid = child;
    if (command.started) command.started(child);
    if (!watch(pidfd.get(), output.read.get(), stream, completed, command.max_output,
               Clock::now() + command.timeout, command.interrupt_fd)) {
        completed.timed_out = !completed.interrupted;
        if (stream) stream->deadline = Clock::time_point::max();
        if (on_timeout) on_timeout();
        ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
        // The rest of its group, which is its own; the number cannot have been
        // reused, since the child was not waited for yet.
        ::kill(-child, SIGKILL);
        completed.unkillable = !watch(pidfd.get(), output.read.get(), stream, completed,
                                      command.max_output, Clock::now() + kKillGrace, -1);
    }
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG) == 0 &&
        info.si_pid == child) {
        completed.signalled = info.si_code != CLD_EXITED;
        completed.exit_code = info.si_status + (completed.signalled ? 128 : 0);
    }
    return completed;
}

}  // namespace gantry::sys
