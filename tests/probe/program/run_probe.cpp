#include "run_probe.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

#include "probe/expected_sums.hpp"
#include "probe/protocol.hpp"
#include "sys/process.hpp"

namespace gantry::probe {
namespace {

constexpr int kReportFd = 7, kChallengeFd = 12;  // neither the lowest nor the launcher's
constexpr std::chrono::seconds kDeadline{20};

std::string gpu_list(unsigned count) {
    std::string list;
    for (unsigned i = 0; i < count; ++i) list += i == 0 ? kAnyGpu : std::string(",") + kAnyGpu;
    return count == 0 ? "-" : list;
}

std::string gemm_task(const ProbeRun& run) {
    std::string task;
    for (const unsigned number : {run.size, run.rounds, 20U, kSeedA, kSeedB})
        task += std::to_string(number) + ":";
    return task + run.amd_runtime;
}

std::vector<std::uint64_t> challenges_of(const ProbeRun& run) {
    std::vector<std::uint64_t> challenges((run.amd + run.nvidia) * run.rounds);
    std::iota(challenges.begin(), challenges.end(), kChallenge);
    return challenges;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

[[noreturn]] void become_probe(const ProbeRun& run, int program, int report, int challenge) {
    std::vector<std::string> arguments{"gantry-probe", std::to_string(kReportFd),
                                       std::to_string(kChallengeFd)};
    arguments.insert(arguments.end(), run.nodes.begin(), run.nodes.end());
    const std::string nvidia = run.nvidia_gpus.empty() ? gpu_list(run.nvidia) : run.nvidia_gpus;
    const std::string amd = run.amd_gpus.empty() ? gpu_list(run.amd) : run.amd_gpus;
    for (const std::string& word : {std::string("--amd"), amd,
                                    std::string("--nvidia"), nvidia,
                                    std::string("--gemm"), gemm_task(run)})
        arguments.push_back(word);
    std::vector<std::string> environment = run.environment;
    // Descriptors that an engine might leave open, below and above the report.
    program = ::fcntl(program, F_DUPFD_CLOEXEC, 100);
    report = ::fcntl(report, F_DUPFD_CLOEXEC, 100);
    challenge = ::fcntl(challenge, F_DUPFD_CLOEXEC, 100);
    for (const int stray : {3, 9, 60}) ::dup2(STDERR_FILENO, stray);
    ::dup2(report, kReportFd);
    ::dup2(challenge, kChallengeFd);
    if (!run.root.empty() && (::chroot(run.root.c_str()) != 0 || ::chdir("/") != 0)) ::_exit(99);
    if (run.uid != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(run.uid) != 0 ||
                         ::setuid(run.uid) != 0))
        ::_exit(99);
    ::fexecve(program, pointers(arguments).data(), pointers(environment).data());
    ::_exit(99);
}

}  // namespace

ProbeResult run_probe(const ProbeRun& run) {
    int pipe_fds[2], challenge_fds[2];
    const int program = ::open(GANTRY_PROBE, O_RDONLY | O_CLOEXEC);
    if (program < 0 || ::pipe2(pipe_fds, O_CLOEXEC) != 0 ||
        ::pipe2(challenge_fds, O_CLOEXEC) != 0)
        throw std::runtime_error(GANTRY_PROBE);
    const pid_t pid = ::fork();
    if (pid == 0) become_probe(run, program, pipe_fds[1], challenge_fds[0]);
    ::close(pipe_fds[1]);
    ::close(program);

    ProbeResult result;
    Dialogue dialogue({[] { return Nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); },
                       [pid] { return sys::processor_time(pid); }},
                      challenges_of(run));
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    pollfd wait{pipe_fds[0], POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        char bytes[4096];
        const bool ready =
            left.count() > 0 && ::poll(&wait, 1, static_cast<int>(left.count())) > 0;
        const ssize_t count = ready ? ::read(pipe_fds[0], bytes, sizeof bytes) : -1;
        if (count > 0) {
            result.report.append(bytes, static_cast<std::size_t>(count));
            const std::string answer =
                dialogue.hear(std::string_view(bytes, static_cast<std::size_t>(count)));
            (void)!::write(challenge_fds[1], answer.data(), answer.size());
        }
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
    for (const int fd : {pipe_fds[0], challenge_fds[0], challenge_fds[1]}) ::close(fd);
    result.products = dialogue.take_products();
    for (TimedProducts& product : result.products)
        product.expected = expected_sums({run.size, kSeedA, kSeedB}, product.challenge);
    int status = 0;
    ::waitpid(pid, &status, 0);
    result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string with_fakes() { return "LD_LIBRARY_PATH=" GANTRY_FAKES; }

}  // namespace gantry::probe
