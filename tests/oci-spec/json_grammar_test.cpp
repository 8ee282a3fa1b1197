#include "catch.hpp"
#include "oci-spec/json_document.hpp"

using namespace gantry;
using namespace gantry::oci;

namespace {

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("what RFC 8259 allows is read and written back byte for byte") {
    for (const char* text :
         {"{}", "[]", " \t\r\n{ } \n", "[1,2]", "[ [ ] , { } ]", "0", "-0", "-1.50e+007", "1E400",
          "123456789012345678901234567890", "[1.10, 1e3 ,0.0]", R"("")",
          R"("\"\\\/\b\f\n\r\t\u00Ff")",
          R"("\ud800 \udc00")", "true", "[false,null]", R"({"a":1,"a":2})", R"({"":{"":[]}})",
          "\"\x7f\xff\xc0\x80\"", "[[[[[[[[1]]]]]]]]"}) {
        CAPTURE(text);
        const auto document = JsonDocument::parse(text);
        REQUIRE(document.has_value());
        CHECK(document->render() == text);
    }
}

TEST_CASE("what RFC 8259 forbids is malformed, and the message says where") {
    struct Row {
        std::string text;
        std::size_t offset;
    };
    const Row rows[] = {
        {"", 0}, {"  ", 2}, {"\xEF\xBB\xBF{}", 0}, {"{", 1}, {"[", 1}, {"[1", 2}, {"]", 0},
        {"[1,]", 3}, {"[,1]", 1}, {"[1 2]", 3}, {"[1}", 2}, {"{]", 1},
        {"{\"a\":1,}", 7}, {"{\"a\"}", 4}, {"{\"a\" 1}", 5}, {"{a:1}", 1}, {"{1:1}", 1},
        {"{\"a\":}", 5}, {"{\"a\":1]", 6}, {"{,}", 1}, {"{\"a\":1 \"b\":2}", 7},
        {"01", 1}, {"-", 1}, {"+1", 0}, {".5", 0}, {"1.", 2}, {"1.e3", 2}, {"1e", 2}, {"1e+", 3},
        {"0x10", 1}, {"[-01]", 3}, {"NaN", 0}, {"Infinity", 0}, {"-Infinity", 1},
        {"tru", 0}, {"truex", 4}, {"True", 0}, {"nul", 0}, {"[falsey]", 6}, {"1a", 1},
        {"\"", 1}, {"\"a", 2}, {"\"\\", 2}, {"\"\\x\"", 2}, {"\"\\u12g4\"", 5},
        {"\"\\u123", 6}, {"\"\\u123\"", 6},
        {"\"a\nb\"", 2}, {"\"\t\"", 1}, {std::string("\"\0\"", 3), 1}, {std::string("[\0]", 3), 1},
        {"'a'", 0}, {"// c\n1", 0}, {"/**/1", 0}, {"[1/**/]", 2}, {"\f1", 0}, {"\xC2\xA0" "1", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto document = JsonDocument::parse(row.text);
        REQUIRE_FALSE(document.has_value());
        CHECK(document.error().code == Code::SpecMalformed);
        CHECK(document.error().message.find(" byte " + std::to_string(row.offset) + ",") !=
              std::string::npos);
        CHECK_FALSE(document.error().remedy.empty());
    }
}

TEST_CASE("control characters stand in no string") {
    for (int byte = 0; byte < 256; ++byte) {
        CAPTURE(byte);
        const std::string text = {'"', static_cast<char>(byte), '"'};
        CHECK(JsonDocument::parse(text).has_value() ==
              (byte >= 0x20 && byte != '"' && byte != '\\'));
    }
}

TEST_CASE("a syntax error names the line, never the content") {
    const auto document = JsonDocument::parse("{\n  \"secret\": 1,\n  \"other\" 2\n}");
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().message.find("line 3") != std::string::npos);
    CHECK(document.error().message.find("secret") == std::string::npos);
}

TEST_CASE("nesting is limited, and deep nesting does not use the stack") {
    CHECK(JsonDocument::parse(nested(256)).has_value());
    const auto deeper = JsonDocument::parse(nested(257));
    REQUIRE_FALSE(deeper.has_value());
    CHECK(deeper.error().code == Code::SpecTooDeep);
    // Closed containers do not count.
    CHECK(JsonDocument::parse("[" + nested(255) + "," + nested(255) + "]").has_value());

    const std::string open(4'000'000, '[');
    const auto endless = JsonDocument::parse(open);
    REQUIRE_FALSE(endless.has_value());
    CHECK(endless.error().code == Code::SpecTooDeep);
    const auto no_limit = JsonDocument::parse(nested(500'000), {.depth = 1'000'000});
    REQUIRE(no_limit.has_value());
    CHECK(no_limit->render() == nested(500'000));
}

TEST_CASE("size is limited") {
    CHECK(JsonDocument::parse("[12345678]", {.bytes = 10}).has_value());
    const auto larger = JsonDocument::parse("[123456789]", {.bytes = 10});
    REQUIRE_FALSE(larger.has_value());
    CHECK(larger.error().code == Code::SpecTooLarge);
    CHECK_FALSE(JsonDocument::parse(std::string((16 << 20) + 1, ' ')).has_value());
}

TEST_CASE("bytes after the first value are kept") {
    for (const char* tail : {"", "\n", "}", " {\"b\":2}", "]]garbage\n"}) {
        const std::string text = std::string(" {\"a\":1}") + tail;
        auto document = JsonDocument::parse(text);
        REQUIRE(document.has_value());
        CHECK(document->render() == text);
        document->set(document->root(), "a", "2");
        CHECK(document->render() == std::string(" {\"a\":2}") + tail);
    }
}
