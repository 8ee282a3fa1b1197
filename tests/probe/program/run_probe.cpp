#include "run_probe.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace gantry::probe {
namespace {

constexpr int kReportFd = 7;  // neither the lowest nor the launcher's
constexpr std::chrono::seconds kDeadline{20};

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

[[noreturn]] void become_probe(const ProbeRun& run, int program, int report) {
    std::vector<std::string> arguments{"gantry-probe", std::to_string(kReportFd)};
    arguments.insert(arguments.end(), run.nodes.begin(), run.nodes.end());
    for (const std::string& word : {std::string("--amd"), std::to_string(run.amd),
                                    std::string("--nvidia"), std::to_string(run.nvidia)})
        arguments.push_back(word);
    std::vector<std::string> environment = run.environment;
    // Descriptors that an engine might leave open, below and above the report.
    program = ::fcntl(program, F_DUPFD_CLOEXEC, 100);
    report = ::fcntl(report, F_DUPFD_CLOEXEC, 100);
    for (const int stray : {3, 9, 60}) ::dup2(STDERR_FILENO, stray);
    ::dup2(report, kReportFd);
    if (!run.root.empty() && (::chroot(run.root.c_str()) != 0 || ::chdir("/") != 0)) ::_exit(99);
    if (run.uid != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(run.uid) != 0 ||
                         ::setuid(run.uid) != 0))
        ::_exit(99);
    ::fexecve(program, pointers(arguments).data(), pointers(environment).data());
    ::_exit(99);
}

}  // namespace

ProbeResult run_probe(const ProbeRun& run) {
    int pipe_fds[2];
    const int program = ::open(GANTRY_PROBE, O_RDONLY | O_CLOEXEC);
    if (program < 0 || ::pipe2(pipe_fds, O_CLOEXEC) != 0) throw std::runtime_error(GANTRY_PROBE);
    const pid_t pid = ::fork();
    if (pid == 0) become_probe(run, program, pipe_fds[1]);
    ::close(pipe_fds[1]);
    ::close(program);

    ProbeResult result;
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    pollfd wait{pipe_fds[0], POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        char bytes[4096];
        const bool ready =
            left.count() > 0 && ::poll(&wait, 1, static_cast<int>(left.count())) > 0;
        const ssize_t count = ready ? ::read(pipe_fds[0], bytes, sizeof bytes) : -1;
        if (count > 0) result.report.append(bytes, static_cast<std::size_t>(count));
        const bool seen = !run.wait_for.empty() &&
                          result.report.find(run.wait_for) != std::string::npos;
        if (seen && run.inspect) run.inspect(pid);
        if (count < 0 || seen) {
            result.killed = true;
            ::kill(pid, SIGKILL);
            break;
        }
        if (count == 0) break;
    }
    ::close(pipe_fds[0]);
    int status = 0;
    ::waitpid(pid, &status, 0);
    result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string with_fakes() { return "LD_LIBRARY_PATH=" GANTRY_FAKES; }

}  // namespace gantry::probe
