// The two pipes to gantry-probe, and what the launcher does on them while it runs:
// reads the report, answers with challenges, computes the right sums meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "probe/dialogue.hpp"
#include "probe/expectation.hpp"
#include "probe/expected_sums.hpp"
#include "probe/verdict.hpp"
#include "sys/subprocess.hpp"

namespace gantry::probe {

// Nobody can know them before. Error: StateUnusable.
[[nodiscard]] Result<MatrixSeeds> draw_seeds(unsigned size);

class Conversation {
public:
    // `processor` tells what the check's processes have used so far; `heard`, if
    // given, gets every line. Error: StateUnusable.
    [[nodiscard]] static Result<Conversation> open(
        const Expectation& expectation, const MatrixSeeds& seeds,
        std::function<std::optional<Nanoseconds>()> processor,
        std::function<void(std::string_view)> heard = {});

    // For sys::Command: the program, the report, the challenges.
    [[nodiscard]] std::vector<int> passed(int program) const;
    [[nodiscard]] sys::Stream& stream() { return state_->stream; }

    // Puts report and products into `outcome`, once the check has ended.
    void finish(RunOutcome& outcome);

private:
    // The thread and the stream's listener keep pointers to it.
    struct State {
        UniqueFd report_read, report_write, challenge_read, challenge_write;
        sys::Stream stream;
        std::unique_ptr<Dialogue> dialogue;
        MatrixSeeds seeds;
        std::vector<std::uint64_t> challenges;
        std::vector<std::vector<std::uint64_t>> expected;  // of each challenge
        std::jthread computing;  // last: joined before the rest goes
    };
    explicit Conversation(std::unique_ptr<State> state) : state_(std::move(state)) {}

    // Those that are not there yet.
    static void compute_expected(State& state);

    std::unique_ptr<State> state_;
};

}  // namespace gantry::probe
