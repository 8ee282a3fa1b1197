// The launcher's side of the conversation, with clocks that the test turns.
#include "catch.hpp"
#include "probe/dialogue.hpp"

using namespace gantry::probe;
using namespace std::chrono_literals;

namespace {

struct Time {
    Nanoseconds wall{0};
    std::optional<Nanoseconds> processor = 0ns;
};

Dialogue dialogue_with(Time& time, std::vector<std::uint64_t> challenges) {
    return Dialogue({[&time] { return time.wall; }, [&time] { return time.processor; }},
                    std::move(challenges));
}

}  // namespace

TEST_CASE("a challenge is told when the product is there, not before") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {0xabc, 0xdef});
    CHECK(dialogue.hear("begin\t2\nstage\tcuInit\n").empty());
    CHECK(dialogue.hear("measure\tnvidia\t0\t0\n").empty());
    time.wall = 100ms;
    time.processor = 3ms;
    CHECK(dialogue.hear("product\tnvidia\t0\t0\t5\t1\t1\n") == "nvidia 0 0 abc\n");
    const auto products = dialogue.take_products();
    REQUIRE(products.size() == 1);
    CHECK(products[0].vendor == "nvidia");
    CHECK(products[0].wall == 100ms);
    CHECK(products[0].processor == 3ms);
    CHECK(products[0].challenge == 0xabc);
}

TEST_CASE("a line that comes in pieces, and two that come at once") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {1, 2});
    CHECK(dialogue.hear("measure\tamd\t0\t0\nmeasure\tamd\t1\t0\nprod").empty());
    CHECK(dialogue.hear("uct\tamd\t1\t0\t5\t1\t1").empty());
    CHECK(dialogue.hear("\nproduct\tamd\t0\t0\t5\t1\t1\n") == "amd 1 0 1\namd 0 0 2\n");
}

TEST_CASE("without its measure line, twice, or beyond the granted GPUs: no challenge") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {1});
    CHECK(dialogue.hear("product\tamd\t0\t0\t5\t1\t1\n").empty());
    CHECK(dialogue.hear("measure\tamd\t0\t0\nproduct\tamd\t0\t1\t5\t1\t1\n").empty());
    CHECK(dialogue.hear("product\tnvidia\t0\t0\t5\t1\t1\n").empty());
    CHECK(dialogue.hear("product\tamd\t0\t0\t5\t1\t1\n") == "amd 0 0 1\n");
    CHECK(dialogue.hear("product\tamd\t0\t0\t5\t1\t1\n").empty());
    CHECK(dialogue.hear("measure\tamd\t1\t0\nproduct\tamd\t1\t0\t5\t1\t1\n").empty());
    CHECK(dialogue.take_products().size() == 1);
}

TEST_CASE("nonsense is neither answered nor kept") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {1});
    for (const char* line : {"measure\n", "product\tamd\n", "measure\tamd\tx\t0\n", "product\tamd\t-1\t0\n",
                             "measure\tamd\t99999999999\t0\n", "\n", "\t\t\t\n"})
        CHECK(dialogue.hear(line).empty());
    // A flood without a line's end.
    for (int i = 0; i < 100; ++i) CHECK(dialogue.hear(std::string(100000, 'x')).empty());
    CHECK(dialogue.hear("\nmeasure\tamd\t0\t0\nproduct\tamd\t0\t0\t1\t1\t1\n") == "amd 0 0 1\n");
}

TEST_CASE("a driver's initialisation may be silent for longer than other steps") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {});
    const auto usual = dialogue.silence_limit();
    (void)dialogue.hear("stage\tcuInit\n");
    CHECK(dialogue.silence_limit() > usual);
    (void)dialogue.hear("stage\tcuDeviceGetCount\n");
    CHECK(dialogue.silence_limit() == usual);
}

TEST_CASE("without a processor clock the time is unknown, not zero") {
    Time time;
    Dialogue dialogue = dialogue_with(time, {1});
    time.processor.reset();
    (void)dialogue.hear("measure\tamd\t0\t0\n");
    time.processor = 1ms;
    (void)dialogue.hear("product\tamd\t0\t0\t1\t1\t1\n");
    CHECK_FALSE(dialogue.take_products()[0].processor);
}
