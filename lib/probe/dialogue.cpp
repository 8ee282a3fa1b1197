#include "probe/dialogue.hpp"

#include <cstdio>

#include "base/text.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

using std::chrono::seconds;

struct StageLimit {
    std::string_view stage;
    seconds limit;
};
// A cold driver initialises its GPUs one after another, which only the limit of
// the whole check bounds. No other step of a healthy GPU takes long: a product at
// the lowest floor takes 1.4 s, compiling the kernels a tenth of a second.
constexpr StageLimit kStageLimits[] = {
    {"cuInit", seconds{90}},
    {"hsa_init", seconds{90}},
    {"hipInit", seconds{90}},
};
constexpr seconds kSilenceLimit{15};

seconds limit_of(std::string_view stage) {
    for (const StageLimit& row : kStageLimits)
        if (row.stage == stage) return row.limit;
    return kSilenceLimit;
}

}  // namespace

std::string Dialogue::hear(std::string_view bytes) {
    std::string answer;
    for (;;) {
        const std::size_t end = bytes.find('\n');
        unfinished_ += bytes.substr(0, end);
        // The parser refuses the report for it; here it only must not grow.
        if (unfinished_.size() > kMaxLineBytes) unfinished_.resize(kMaxLineBytes);
        if (end == std::string_view::npos) return answer;
        answer += hear_line(unfinished_);
        unfinished_.clear();
        bytes.remove_prefix(end + 1);
    }
}

std::string Dialogue::hear_line(std::string_view line) {
    if (heard_) heard_(line);
    const bool measure = line.starts_with("measure\t");
    if (line.starts_with("stage\t")) {
        silence_limit_ = limit_of(split(line, '\t')[1]);
        return {};
    }
    if (!measure && !line.starts_with("product\t")) return {};
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 4) return {};
    const auto index = parse_decimal(fields[2]), round = parse_decimal(fields[3]);
    if (!index || !round || *index > kMaxLineBytes || *round > kMaxLineBytes) return {};
    Begun now{std::string(fields[1]), static_cast<unsigned>(*index),
              static_cast<unsigned>(*round), clocks_.wall(), clocks_.processor()};
    if (!measure) return answer_product(std::move(now));
    if (begun_.size() < challenges_.size()) begun_.push_back(std::move(now));
    return {};
}

std::string Dialogue::answer_product(Begun now) {
    if (products_.size() == challenges_.size()) return {};
    for (Begun& begun : begun_) {
        if (begun.vendor != now.vendor || begun.index != now.index || begun.round != now.round)
            continue;
        begun.vendor.clear();  // its challenge is told once
        TimedProducts timed;
        timed.vendor = now.vendor;
        timed.index = now.index;
        timed.round = now.round;
        timed.wall = now.wall - begun.wall;
        if (now.processor && begun.processor) timed.processor = *now.processor - *begun.processor;
        timed.challenge = challenges_[products_.size()];
        char line[kMaxChallengeBytes];
        std::snprintf(line, sizeof line, "%.16s %u %u %llx\n", timed.vendor.c_str(), timed.index,
                      timed.round, static_cast<unsigned long long>(timed.challenge));
        products_.push_back(std::move(timed));
        return line;
    }
    return {};
}

}  // namespace gantry::probe
