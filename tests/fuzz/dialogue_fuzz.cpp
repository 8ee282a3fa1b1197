// The input is a report as it comes: its first byte is the size of the pieces. In
// whatever pieces a pipe hands it over, the same is heard, answered and timed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "probe/dialogue.hpp"

using namespace gantry::probe;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

struct Heard {
    std::string answers;
    std::size_t lines = 0;
    std::vector<TimedProducts> products;
};

Heard hear(std::string_view text, std::size_t piece) {
    Heard heard;
    Dialogue dialogue({[] { return Nanoseconds(1); }, [] { return Nanoseconds(0); }}, {1, 2, 3},
                      [&](std::string_view) { ++heard.lines; });
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
        heard.answers += dialogue.hear(text.substr(0, piece));
    require(dialogue.silence_limit().count() > 0);
    heard.products = dialogue.take_products();
    return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Heard whole = hear(text, text.size() + 1);
    const Heard pieces = hear(text, std::size_t{data[0]} + 1);
    require(whole.answers == pieces.answers);
    require(whole.lines == pieces.lines);
    require(whole.products.size() == pieces.products.size());
    require(whole.products.size() <= 3);  // no product without a challenge of its own
    return 0;
}
