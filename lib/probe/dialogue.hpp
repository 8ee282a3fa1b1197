// The launcher's side of the conversation with gantry-probe: it follows the report
// line by line while it comes, stamps the timed products with its own clock, and
// tells each challenge only once the product that it is for exists. Pure: time,
// processor time and seeds come from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::probe {

using Nanoseconds = std::chrono::nanoseconds;

// One GPU's timed products of one round, as the launcher saw them.
struct TimedProducts {
    std::string vendor;                      // "amd", "nvidia"
    unsigned index = 0, round = 0;
    Nanoseconds wall{0};                     // from `measure` to `product`
    std::optional<Nanoseconds> processor;    // what the check's processes used meanwhile
    std::uint64_t challenge = 0;
    std::vector<std::uint64_t> expected;     // the right sums; added by the launcher
};

struct Clocks {
    std::function<Nanoseconds()> wall;                      // monotonic
    std::function<std::optional<Nanoseconds>()> processor;  // nullopt: not to be had
};

class Dialogue {
public:
    // `challenges` in the order in which products come; a product beyond them
    // gets no answer. `heard`, if given, is called with every whole line.
    Dialogue(Clocks clocks, std::vector<std::uint64_t> challenges,
             std::function<void(std::string_view)> heard = {})
        : clocks_(std::move(clocks)), challenges_(std::move(challenges)),
          heard_(std::move(heard)) {}

    // Takes the next bytes of the report. Returns what is to be answered, may be
    // empty. What is not of the protocol is left to the parser.
    [[nodiscard]] std::string hear(std::string_view bytes);

    // How long the check may be silent now.
    [[nodiscard]] std::chrono::seconds silence_limit() const { return silence_limit_; }

    [[nodiscard]] std::vector<TimedProducts> take_products() { return std::move(products_); }

private:
    struct Begun {
        std::string vendor;
        unsigned index = 0, round = 0;
        Nanoseconds wall{0};
        std::optional<Nanoseconds> processor;
    };

    [[nodiscard]] std::string hear_line(std::string_view line);
    [[nodiscard]] std::string answer_product(Begun begun);

    Clocks clocks_;
    std::vector<std::uint64_t> challenges_;
    std::function<void(std::string_view)> heard_;
    std::string unfinished_;  // a line whose end has not come
    std::vector<Begun> begun_;
    std::vector<TimedProducts> products_;
    std::chrono::seconds silence_limit_{15};
};

}  // namespace gantry::probe
