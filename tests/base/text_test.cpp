#include "base/text.hpp"

#include "base/error.hpp"
#include "catch.hpp"

using namespace gantry;

TEST_CASE("numbers are parsed strictly") {
    CHECK(parse_decimal("0") == 0);
    CHECK(parse_decimal("18446744073709551615") == UINT64_MAX);
    for (const char* bad : {"", " 7", "7 ", "+7", "-1", "7x", "0x7", "18446744073709551616"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_decimal(bad));
    }
    CHECK(parse_hex("FFff") == 0xffff);
    CHECK_FALSE(parse_hex("0xff"));
    CHECK(parse_octal("0660") == 0660);
    CHECK_FALSE(parse_octal("0668"));
}

TEST_CASE("split keeps empty parts") {
    CHECK(split("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b", ""});
    CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("a hostile value cannot forge lines in a message") {
    CHECK(printable("a\nb\x80") == "a\\x0ab\\x80");
    CHECK(printable(std::string(200, 'x'), 10) == "xxxxxxxxxx...");
}

TEST_CASE("an error is one sentence with code and remedy, and bounded") {
    const Error error{Code::SelectorUnknown, "no GPU 7", "Use 0 or 1"};
    CHECK(error.text() == "GTY-202: no GPU 7. Use 0 or 1");
    Error large = error;
    large.message = std::string(493, 'x') + "\u00e9\u00e9\u00e9\u00e9";
    CHECK(large.text().size() <= kMaxErrorBytes);
    CHECK(large.text().ends_with("..."));
}

TEST_CASE("errno texts keep clear of the phrases that Docker maps to 126 and 127") {
    for (int number = 1; number < 134; ++number) {
        const std::string text = to_lower(errno_text(number));
        CAPTURE(number, text);
        for (const char* phrase : {"permission denied", "is a directory", "not a directory",
                                   "no such file or directory", "operation not permitted"})
            CHECK(text.find(phrase) == std::string::npos);
    }
}
