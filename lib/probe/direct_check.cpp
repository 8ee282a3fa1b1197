#include "probe/direct_check.hpp"

#include "base/text.hpp"
#include "probe/check_program.hpp"
#include "probe/conversation.hpp"
#include "sys/caught_signals.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/subprocess.hpp"

namespace gantry::probe {
namespace {

constexpr std::size_t kMaxOutputBytes = std::size_t{64} << 10;

// The runtime of an exec stays beside the process that it made, whose number it
// wrote down; here it is the child itself.
pid_t checked_process(const DirectCheck& check, pid_t child) {
    if (check.pid_file.empty()) return child;
    const auto file = sys::read_regular_file(check.pid_file, 64);
    const auto pid = file ? parse_decimal(trim(file->text)) : std::nullopt;
    return pid && *pid > 1 ? static_cast<pid_t>(*pid) : 0;
}

}  // namespace

Result<RunOutcome> run_direct(const DirectCheck& check, const Expectation& expectation) {
    sys::CaughtSignals signals;  // ^C must not leave the check in the container
    GANTRY_TRY(const UniqueFd program, load_program(check.probe_program));
    GANTRY_TRY(const MatrixSeeds seeds, draw_seeds(expectation.product.size));
    pid_t child = 0;
    GANTRY_TRY(Conversation conversation,
               Conversation::open(
                   expectation, seeds,
                   [&]() -> std::optional<Nanoseconds> {
                       const pid_t process = checked_process(check, child);
                       return process > 0 ? sys::processor_time(process) : std::nullopt;
                   },
                   check.heard));
    sys::Command command{check.by.empty() ? kProgram : check.by.front(),
                         check.by,
                         check.environment,
                         conversation.passed(program.get()),
                         check.timeout,
                         kMaxOutputBytes};
    for (const std::string& word : check_arguments(expectation, seeds))
        command.arguments.push_back(word);
    command.interrupt_fd = signals.fd();
    command.started = [&](pid_t pid) { child = pid; };
    UniqueFd killed;
    GANTRY_TRY(const sys::Completed completed,
               sys::run_command(command, &conversation.stream(), [&] {
                   if (!check.pid_file.empty())
                       if (const pid_t process = checked_process(check, 0); process > 0)
                           killed = sys::kill_process(process);
               }));
    const auto end = std::chrono::steady_clock::now();
    RunOutcome outcome;
    outcome.deadline_passed = completed.timed_out;
    outcome.unkillable = completed.unkillable || !sys::has_ended(killed, end + sys::kKillGrace);
    outcome.exit_code = completed.exit_code;
    outcome.runtime_killed = !check.by.empty() && completed.signalled && !completed.timed_out;
    outcome.runtime_text = std::string(trim(completed.output));
    conversation.finish(outcome);
    outcome.interrupted_by = signals.take();
    return outcome;
}

}  // namespace gantry::probe
