// Random documents and random edits, against nlohmann as the second opinion.
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "oci-spec/json_document.hpp"

using namespace gantry::oci;
// Ordered, because edits must keep the order too.
using Json = nlohmann::ordered_json;

namespace {

constexpr auto kNone = JsonDocument::kNone;

// Writes a random document with random spacing. Plain: nothing that nlohmann
// would change, and no doubled keys.
class Writer {
public:
    Writer(std::mt19937& random, bool plain) : random_(random), plain_(plain) {}

    std::string text() {
        blank();
        value(6);
        blank();
        return out_;
    }

private:
    unsigned below(unsigned limit) { return random_() % limit; }
    template <std::size_t N>
    const char* pick(const char* const (&choices)[N]) {
        return choices[below(N)];
    }
    void blank() {
        if (below(3) == 0) out_ += pick({" ", "\n", "\t", "\r\n", "  ", "\n    "});
    }

    void value(unsigned depth) {
        switch (below(depth > 0 ? 9 : 5)) {
            case 0: out_ += pick({"true", "false", "null"}); break;
            case 1: out_ += std::to_string(static_cast<int>(below(4096)) - 2048); break;
            case 2: number(); break;
            case 3:
            case 4: string(); break;
            case 5:
            case 6: container('[', ']', depth); break;
            default: container('{', '}', depth);
        }
    }
    void number() {
        if (plain_) {
            out_ += pick({"0", "18446744073709551615", "-9223372036854775808", "9007199254740993"});
        } else {
            out_ += pick({"-0", "1.10", "1e400", "-0.0E-7", "1E+2",
                          "123456789012345678901234567890"});
        }
    }
    void string() {
        out_ += '"';
        for (unsigned length = below(6); length > 0; --length)
            out_ += plain_ ? pick({"a", "b", " ", "\u00e9", "\\n", "\\\"", "\\\\", "\\/", "\\u0041",
                                   "\\ud83d\\ude00", "{", "]", ",", ":"})
                           : pick({"x", "\\ud800", "\xff", "\\u0000", "\x7f", "\\uDC00", "\\t"});
        out_ += '"';
    }
    void container(char open, char close, unsigned depth) {
        out_ += open;
        blank();
        const unsigned count = below(5);
        for (unsigned index = 0; index < count; ++index) {
            if (index > 0) {
                out_ += ',';
                blank();
            }
            if (open == '{') {
                out_ += '"';
                out_ += pick({"k", "\\u006b", "key \\\"", "", "\u00e9"});
                // Without its number a key is doubled soon.
                if (plain_ || below(2)) out_ += std::to_string(index);
                out_ += '"';
                blank();
                out_ += ':';
                blank();
            }
            value(depth - 1);
            blank();
        }
        out_ += close;
    }

    std::mt19937& random_;
    bool plain_;
    std::string out_;
};

// The same edit on both sides; gives false where the place allows none.
class Editor {
public:
    Editor(std::mt19937& random, JsonDocument& document, Json& model)
        : random_(random), document_(document), model_(model) {}

    void edit() {
        JsonDocument::Node node = document_.root();
        Json* model = &model_;
        // Walk down some way.
        while (model->is_structured() && !model->empty() && random_() % 4 != 0) {
            const std::size_t index = random_() % model->size();
            node = document_.first_child(node);
            for (std::size_t step = 0; step < index; ++step) node = document_.next_sibling(node);
            auto place = model->begin();
            std::advance(place, static_cast<std::ptrdiff_t>(index));
            if (model->is_object()) REQUIRE(document_.key(node) == place.key());
            if (random_() % 5 == 0) {
                document_.remove(node);
                model->erase(place);
                return;
            }
            model = &*place;
        }
        std::mt19937 same = random_;
        const std::string fresh = Writer(same, true).text();
        random_ = same;
        if (model->is_array() && random_() % 4 != 0) {
            document_.append(node, fresh);
            model->push_back(Json::parse(fresh));
        } else if (model->is_object() && random_() % 4 != 0) {
            const char* keys[] = {"k0", "new", "key \"1", "a\n", "\u00e92"};
            const std::string key = keys[random_() % std::size(keys)];
            if (random_() % 3 == 0) {
                const auto made = document_.ensure(node, key, JsonKind::Array);
                Json& member = (*model)[key];
                if (member.is_null()) member = Json::array();
                CHECK((made != kNone) == member.is_array());
            } else {
                document_.set(node, key, fresh);
                (*model)[key] = Json::parse(fresh);
            }
        } else {
            document_.replace(node, fresh);
            *model = Json::parse(fresh);
        }
    }

private:
    std::mt19937& random_;
    JsonDocument& document_;
    Json& model_;
};

}  // namespace

TEST_CASE("a document that is not edited comes out as it went in") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        const std::string text = Writer(random, seed % 2 == 0).text();
        CAPTURE(seed, text);
        const auto document = JsonDocument::parse(text);
        REQUIRE(document.has_value());
        REQUIRE(document->render() == text);
    }
}

TEST_CASE("random edits do what they would do to the value") {
    std::size_t edits = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        std::mt19937 random(seed);
        const std::string text = Writer(random, true).text();
        auto document = JsonDocument::parse(text);
        REQUIRE(document.has_value());
        Json model = Json::parse(text);
        Editor editor(random, *document, model);
        for (unsigned round = 0; round < 12; ++round, ++edits) {
            editor.edit();
            const std::string rendered = document->render();
            CAPTURE(seed, round, text, rendered);
            REQUIRE(Json::parse(rendered) == model);
            // What was written can be read by this parser too.
            REQUIRE(JsonDocument::parse(rendered).has_value());
        }
    }
    CHECK(edits == 18000);
}
