// Damaged specs: whatever the bytes are, parse() answers, and what it accepts
// can be read, edited and written.
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "oci-spec/json_document.hpp"
#include "oci-spec/spec_view.hpp"
#include "spec_fixture.hpp"

using namespace gantry::oci;

namespace {

struct Outcome {
    std::size_t accepted = 0, refused = 0;
};

void try_text(const std::string& text, Outcome& outcome) {
    auto document = JsonDocument::parse(text);
    if (!document) {
        ++outcome.refused;
        return;
    }
    ++outcome.accepted;
    if (document->render() != text) FAIL("changed without an edit: " << text);
    static_cast<void>(extract_spec_view(*document));
    const auto env = document->ensure(document->find({"process"}), "env", JsonKind::Array);
    if (env == JsonDocument::kNone) return;
    document->append(env, "\"GANTRY=1\"");
    const auto again = JsonDocument::parse(document->render());
    if (!again) FAIL("broken by an edit: " << text);
    if (extract_spec_view(*again).env_value("GANTRY") != "1") FAIL("edit lost: " << text);
}

}  // namespace

TEST_CASE("a spec with one byte changed is read or refused") {
    for (const char* name : {"runc-spec.json", "odd-numbers.json"}) {
        const std::string text = spec_fixture(name);
        Outcome outcome;
        std::string damaged = text;
        for (std::size_t at = 0; at < text.size(); ++at) {
            for (const char byte : {'\0', '"', '\\', '{', ']', ',', '0', 'e', '\x80'}) {
                damaged[at] = byte;
                try_text(damaged, outcome);
            }
            for (int bit = 0; bit < 8; ++bit) {
                damaged[at] = static_cast<char>(text[at] ^ (1 << bit));
                try_text(damaged, outcome);
            }
            damaged[at] = text[at];
        }
        CAPTURE(name);
        CHECK(outcome.accepted > text.size());
        CHECK(outcome.refused > text.size());
    }
}

TEST_CASE("a spec that was cut off is refused") {
    for (const char* name : {"runc-spec.json", "podman.json", "odd-numbers.json"}) {
        const std::string text = spec_fixture(name);
        const std::size_t end = text.find_last_of('}');
        Outcome outcome;
        for (std::size_t size = 0; size <= end; ++size) try_text(text.substr(0, size), outcome);
        CAPTURE(name);
        CHECK(outcome.accepted == 0);
        CHECK(outcome.refused == end + 1);
    }
}

TEST_CASE("a spec with pieces lost, doubled or exchanged is read or refused") {
    const std::string text = spec_fixture("podman.json");
    Outcome outcome;
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        std::string damaged = text;
        for (unsigned round = random() % 3; round < 3; ++round) {
            const std::size_t from = random() % damaged.size(), to = random() % damaged.size();
            const std::size_t length = random() % 40;
            const std::string piece = damaged.substr(from, length);
            if (random() % 2) damaged.erase(from, length);
            damaged.insert(std::min(to, damaged.size()), piece);
        }
        try_text(damaged, outcome);
    }
    CHECK(outcome.accepted + outcome.refused == 3000);
    CHECK(outcome.accepted > 0);
}

TEST_CASE("the grammar is the one nlohmann reads") {
    // Short texts of the characters that matter, so that many are nearly JSON.
    constexpr std::string_view kLetters = "{}[]\",:\\ \n01-+.eEutrfalsn/\t";
    std::size_t accepted = 0;
    for (unsigned seed = 0; seed < 60000; ++seed) {
        std::mt19937 random(seed);
        std::string text;
        for (unsigned length = random() % 7; length > 0; --length)
            text += kLetters[random() % kLetters.size()];
        if (seed % 3 == 0) text = "[" + text + "]";
        if (seed % 3 == 1) text = "{\"a\":" + text + "}";
        const auto document = JsonDocument::parse(text);
        // Bytes after the first value are ours to keep, not nlohmann's.
        bool expected = nlohmann::json::accept(text);
        if (document && !expected) {
            const std::string first(document->raw(document->root()));
            CAPTURE(text, first);
            REQUIRE(first.size() < text.size());
            REQUIRE(nlohmann::json::accept(first));
            expected = true;
        }
        CAPTURE(text);
        REQUIRE(document.has_value() == expected);
        accepted += expected;
    }
    CHECK(accepted > 1500);
}
