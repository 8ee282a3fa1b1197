#include "probe/conversation.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/text.hpp"
#include "probe/report.hpp"

namespace gantry::probe {
namespace {

bool draw(void* to, std::size_t size) {
    ssize_t got = 0;
    do got = ::getrandom(to, size, 0);
    while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(size);
}

std::unexpected<Error> no_randomness() {
    return fail(Code::StateUnusable, "no random numbers for the GPU check: " + errno_text(errno),
                "Check the kernel's random number generator");
}

std::size_t product_count(const Expectation& expectation) {
    if (expectation.product.size == 0) return 0;
    return (expectation.amd.size() + expectation.nvidia.size()) * expectation.product.rounds;
}

Nanoseconds monotonic_now() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

bool open_pipe(UniqueFd& read, UniqueFd& write) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.reset(ends[0]);
    write.reset(ends[1]);
    return true;
}

}  // namespace

Result<MatrixSeeds> draw_seeds(unsigned size) {
    MatrixSeeds seeds{size, 0, 0};
    if (!draw(&seeds.a, sizeof seeds.a) || !draw(&seeds.b, sizeof seeds.b)) return no_randomness();
    return seeds;
}

void Conversation::compute_expected(State& state) {
    for (std::size_t i = 0; i < state.challenges.size(); ++i)
        if (state.expected[i].empty())
            state.expected[i] = expected_sums(state.seeds, state.challenges[i]);
}

Result<Conversation> Conversation::open(const Expectation& expectation, const MatrixSeeds& seeds,
                                        std::function<std::optional<Nanoseconds>()> processor,
                                        std::function<void(std::string_view)> heard) {
    auto state = std::make_unique<State>();
    if (!open_pipe(state->report_read, state->report_write) ||
        !open_pipe(state->challenge_read, state->challenge_write) ||
        // A check that reads nothing must not hold up its launcher.
        ::fcntl(state->challenge_write.get(), F_SETFL, O_NONBLOCK) != 0)
        return fail(Code::StateUnusable, "no pipe for the GPU check: " + errno_text(errno),
                    "Raise the limit of open files of the engine");
    state->challenges.resize(product_count(expectation));
    for (std::uint64_t& challenge : state->challenges)
        if (!draw(&challenge, sizeof challenge)) return no_randomness();

    state->dialogue = std::make_unique<Dialogue>(
        Clocks{monotonic_now, std::move(processor)}, state->challenges, std::move(heard));
    state->stream.fd = state->report_read.get();
    state->stream.max_bytes = kMaxReportBytes + state->challenges.size() * kMaxRoundBytes;
    // A round of a long check is silent while it is computed.
    const std::chrono::milliseconds round{2 * expectation.product.budget_ms};
    state->stream.on_data = [state = state.get(), round](std::string_view bytes) {
        const std::string answer = state->dialogue->hear(bytes);
        // Both ends are open here, so it is never a broken pipe; a full one is
        // the check's own fault.
        if (!answer.empty())
            (void)!::write(state->challenge_write.get(), answer.data(), answer.size());
        state->stream.deadline =
            std::chrono::steady_clock::now() + state->dialogue->silence_limit() + round;
    };
    state->seeds = seeds;
    state->expected.resize(state->challenges.size());
    // In the time that the runtime and the driver take to start. Joined before
    // the shim becomes the low-level runtime, which would end it half-way.
    if (!state->challenges.empty()) try {
            state->computing = std::jthread([state = state.get()] { compute_expected(*state); });
        } catch (const std::system_error&) {
            // No thread to be had: finish() computes.
        }
    return Conversation(std::move(state));
}

std::vector<int> Conversation::passed(int program) const {
    return {program, state_->report_write.get(), state_->challenge_read.get()};
}

void Conversation::finish(RunOutcome& outcome) {
    if (state_->computing.joinable()) state_->computing.join();
    compute_expected(*state_);
    outcome.report_text = std::move(state_->stream.text);
    outcome.report_overflow = state_->stream.overflow;
    outcome.products = state_->dialogue->take_products();
    // The k-th product to come was told the k-th challenge.
    for (std::size_t i = 0; i < outcome.products.size(); ++i)
        outcome.products[i].expected = std::move(state_->expected[i]);
}

}  // namespace gantry::probe
