#include "catch.hpp"
#include "oci-spec/json_document.hpp"

using namespace gantry::oci;

namespace {

JsonDocument parsed(std::string text) {
    auto document = JsonDocument::parse(std::move(text));
    REQUIRE(document.has_value());
    return std::move(*document);
}

}  // namespace

TEST_CASE("strings are decoded as Go decodes them") {
    struct Row {
        const char* literal;
        std::string bytes;
    };
    const Row rows[] = {
        {R"("")", ""},
        {R"("plain")", "plain"},
        {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
        {R"("a\u0062c")", "abc"},
        {R"("\u00e9\u20AC")", "\u00e9\u20ac"},
        {R"("\ud83d\ude00!")", "\U0001F600!"},
        {R"("\ud83d")", "\uFFFD"},
        {R"("\ude00\ud83d")", "\uFFFD\uFFFD"},
        {R"("\ud83dx")", "\uFFFDx"},
        {R"("\ud83d\u0041")", "\uFFFD" "A"},
        {R"("\ud83d\ud83d\ude00")", "\uFFFD\U0001F600"},
        {R"("\ud83d\n12345")", "\uFFFD\n12345"},
        {R"("\u0000")", std::string(1, '\0')},
        {"\"\xff\"", "\xff"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.literal);
        const JsonDocument document = parsed(row.literal);
        CHECK(document.string(document.root()) == row.bytes);
        CHECK(document.raw(document.root()) == row.literal);
    }
}

TEST_CASE("any bytes survive quoting and reading") {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    const JsonDocument document = parsed(json_quote(bytes));
    CHECK(document.string(document.root()) == bytes);
    CHECK(json_quote("a\"\\\n\x01/\u00e9") == "\"a\\\"\\\\\\n\\u0001/\u00e9\"");
}

TEST_CASE("integers are read exactly or not at all") {
    struct Row {
        const char* text;
        std::optional<std::uint64_t> as_unsigned;
        std::optional<std::int64_t> as_signed;
    };
    const Row rows[] = {
        {"0", 0, 0},
        {"-0", {}, 0},
        {"-1", {}, -1},
        {"9007199254740993", 9007199254740993, 9007199254740993},
        {"9223372036854775807", INT64_MAX, INT64_MAX},
        {"-9223372036854775808", {}, INT64_MIN},
        {"9223372036854775808", std::uint64_t{1} << 63, {}},
        {"18446744073709551615", UINT64_MAX, {}},
        {"18446744073709551616", {}, {}},
        {"1.0", {}, {}},
        {"1e3", {}, {}},
        {"\"7\"", {}, {}},
        {"true", {}, {}},
        {"null", {}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const JsonDocument document = parsed(row.text);
        CHECK(document.unsigned_integer(document.root()) == row.as_unsigned);
        CHECK(document.integer(document.root()) == row.as_signed);
    }
}

TEST_CASE("members are found by their decoded, exact key; the last double counts") {
    const JsonDocument document =
        parsed(R"({"a":1,"A":2,"a\n":3,"a":4,"\u0061b":5,"":6,"\\":7,"n":{"m":{"k":8}}})");
    const auto value = [&](std::string_view key) {
        return document.integer(document.member(document.root(), key));
    };
    CHECK(value("a") == 4);
    CHECK(value("A") == 2);
    CHECK(value("a\n") == 3);
    CHECK_FALSE(value("a\\n"));
    CHECK(value("ab") == 5);
    CHECK_FALSE(value("\\u0061b"));
    CHECK(value("") == 6);
    CHECK(value("\\") == 7);
    CHECK_FALSE(value("b"));
    CHECK(document.integer(document.find({"n", "m", "k"})) == 8);
    CHECK(document.find({}) == document.root());
    CHECK(document.find({"n", "x", "k"}) == JsonDocument::kNone);
    CHECK(document.find({"a", "x"}) == JsonDocument::kNone);
}

TEST_CASE("children come in order, with their keys") {
    const JsonDocument document = parsed(R"({"b":[1,"two",{}],"a":false})");
    const auto list = document.first_child(document.root());
    CHECK(document.key(list) == "b");
    CHECK(document.kind(list) == JsonKind::Array);
    const auto one = document.first_child(list);
    CHECK(document.kind(one) == JsonKind::Number);
    CHECK(document.key(one).empty());
    const auto two = document.next_sibling(one);
    CHECK(document.raw(two) == "\"two\"");
    CHECK(document.next_sibling(document.next_sibling(two)) == JsonDocument::kNone);
    const auto last = document.next_sibling(list);
    CHECK(document.key(last) == "a");
    CHECK(document.boolean(last) == false);
    CHECK(document.next_sibling(last) == JsonDocument::kNone);
    CHECK(document.first_child(last) == JsonDocument::kNone);
}

TEST_CASE("kNone and values of another kind read as absent") {
    const JsonDocument document = parsed(R"({"s":"x","null":null})");
    constexpr auto kNone = JsonDocument::kNone;
    CHECK(document.kind(kNone) == JsonKind::Null);
    CHECK(document.raw(kNone).empty());
    CHECK(document.key(kNone).empty());
    CHECK(document.first_child(kNone) == kNone);
    CHECK(document.next_sibling(kNone) == kNone);
    CHECK(document.member(kNone, "a") == kNone);
    CHECK_FALSE(document.string(kNone));
    CHECK_FALSE(document.integer(kNone));
    CHECK_FALSE(document.unsigned_integer(kNone));
    CHECK_FALSE(document.boolean(kNone));
    CHECK_FALSE(document.is_null(kNone));
    CHECK(document.is_null(document.find({"null"})));
    const auto text = document.find({"s"});
    CHECK_FALSE(document.boolean(text));
    CHECK_FALSE(document.is_null(text));
    CHECK(document.member(text, "a") == kNone);
    CHECK_FALSE(document.string(document.root()));
}

TEST_CASE("a document can be moved without losing its text") {
    JsonDocument first = parsed("[7]");  // short enough to live inside the string object
    const auto added = first.append(first.root(), "8");
    const JsonDocument second = std::move(first);
    CHECK(second.render() == "[7,8]");
    CHECK(second.integer(added) == 8);
}
