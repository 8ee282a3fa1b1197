#include "oci-spec/json_scanner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

// The grammar is RFC 8259, with nothing added: no comments, no trailing comma,
// no leading zero, no control characters in strings. That strings are UTF-8 is
// not checked, as Go does not either.

namespace gantry::oci {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

constexpr bool is_json_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Bytes that stand for themselves inside a string.
constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t byte = 0x20; byte < plain.size(); ++byte)
        plain[byte] = byte != '"' && byte != '\\';
    return plain;
}();

// How many of eight bytes stand for themselves before the first that does not.
// The subtractions leave a borrow in the top bit of each byte below 0x20, '"' or
// '\\', and perhaps in bytes behind it; the first one is exact.
std::size_t plain_bytes(std::uint64_t word) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101010101010101U, kTops = 0x8080808080808080U;
    const auto has_zero = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
    const std::uint64_t odd = ((word - kOnes * 0x20) & ~word) | has_zero(word ^ kOnes * '"') |
                              has_zero(word ^ kOnes * '\\');
    return static_cast<std::size_t>(std::countr_zero(odd & kTops)) / 8;
}

}  // namespace

Status JsonDocument::Scanner::scan(Node parent, std::string_view key) {
    if (text_.starts_with("\xEF\xBB\xBF")) return broken("a byte order mark is no JSON");
    const std::size_t top = document_.entries_.size();
    open_ = parent;
    key_ = key;
    do {
        GANTRY_TRY(const bool opened, scan_value());
        if (!opened) GANTRY_CHECK(scan_to_next_value());
    } while (depth_ > 0);
    // "01" and "truex" are a broken value, not a value with bytes after it.
    const JsonKind kind = document_.entries_[top].kind;
    const bool bracketed = kind == JsonKind::Object || kind == JsonKind::Array;
    if (!bracketed && at_ != end_ && !is_json_blank(*at_))
        return broken("the value does not end here");
    return {};
}

Result<bool> JsonDocument::Scanner::scan_value() {
    skip_blank();
    if (at_ == end_) return broken("the text ends where a value belongs");
    const char* begin = at_;
    JsonKind kind = JsonKind::Number;
    switch (*at_) {
        case '{': return open_container(JsonKind::Object);
        case '[': return open_container(JsonKind::Array);
        case '"':
            kind = JsonKind::String;
            GANTRY_CHECK(scan_string());
            break;
        case 't':
            kind = JsonKind::True;
            GANTRY_CHECK(scan_word("true"));
            break;
        case 'f':
            kind = JsonKind::False;
            GANTRY_CHECK(scan_word("false"));
            break;
        case 'n':
            kind = JsonKind::Null;
            GANTRY_CHECK(scan_word("null"));
            break;
        default: GANTRY_CHECK(scan_number());
    }
    add(kind, begin);
    return false;
}

Status JsonDocument::Scanner::scan_to_next_value() {
    while (depth_ > 0) {
        skip_blank();
        const bool object = document_.entries_[open_].kind == JsonKind::Object;
        if (is_at(',')) {
            ++at_;
            return object ? scan_key() : Status{};
        }
        if (!is_at(object ? '}' : ']'))
            return broken(object ? "expected ',' or '}'" : "expected ',' or ']'");
        close_container();
    }
    return {};
}

Result<bool> JsonDocument::Scanner::open_container(JsonKind kind) {
    if (depth_ == depth_limit_)
        return fail(Code::SpecTooDeep,
                    "the JSON text is nested deeper than " + std::to_string(depth_limit_) +
                        " levels at byte " + std::to_string(at_ - text_.data()),
                    "A runtime spec needs about 8 levels: find out who wrote this one");
    add(kind, at_);
    open_ = static_cast<Node>(document_.entries_.size() - 1);
    ++depth_;
    ++at_;
    skip_blank();
    if (is_at(kind == JsonKind::Object ? '}' : ']')) {
        close_container();
        return false;
    }
    if (kind == JsonKind::Object) GANTRY_CHECK(scan_key());
    return true;
}

void JsonDocument::Scanner::close_container() {
    ++at_;
    Entry& entry = document_.entries_[open_];
    entry.text = {entry.text.data(), at_};
    open_ = entry.parent;
    --depth_;
}

Status JsonDocument::Scanner::scan_key() {
    skip_blank();
    if (!is_at('"')) return broken("expected a key in quotes");
    const char* begin = at_;
    GANTRY_CHECK(scan_string());
    key_ = {begin, at_};
    skip_blank();
    if (!is_at(':')) return broken("expected ':' after a key");
    ++at_;
    return {};
}

Status JsonDocument::Scanner::scan_string() {
    ++at_;
    for (;;) {
        // Most of a spec is in its strings: the bulk goes by words.
        for (std::size_t plain = 8; plain == 8 && end_ - at_ >= 8; at_ += plain) {
            std::uint64_t word;
            std::memcpy(&word, at_, sizeof word);
            plain = plain_bytes(word);
        }
        while (at_ != end_ && kPlain[static_cast<unsigned char>(*at_)]) ++at_;
        if (at_ == end_) return broken("the text ends inside a string");
        if (*at_ == '"') break;
        if (*at_ != '\\') return broken("control character in a string");
        GANTRY_CHECK(scan_escape());
    }
    ++at_;
    return {};
}

Status JsonDocument::Scanner::scan_escape() {
    ++at_;
    if (at_ == end_) return broken("the text ends inside a string");
    if (std::string_view("\"\\/bfnrt").find(*at_) != std::string_view::npos) {
        ++at_;
        return {};
    }
    if (*at_ != 'u') return broken("no such escape in a string");
    ++at_;
    for (int digits = 0; digits < 4; ++digits, ++at_)
        if (at_ == end_ || !is_hex_digit(*at_)) return broken("\\u needs four hex digits");
    return {};
}

Status JsonDocument::Scanner::scan_number() {
    if (is_at('-')) ++at_;
    if (is_at('0')) {
        ++at_;
    } else if (!skip_digits()) {
        return broken("expected a value");
    }
    if (is_at('.')) {
        ++at_;
        if (!skip_digits()) return broken("expected a digit after '.'");
    }
    if (is_at('e') || is_at('E')) {
        ++at_;
        if (is_at('+') || is_at('-')) ++at_;
        if (!skip_digits()) return broken("expected a digit in the exponent");
    }
    return {};
}

Status JsonDocument::Scanner::scan_word(std::string_view word) {
    if (!rest().starts_with(word)) return broken("expected a value");
    at_ += word.size();
    return {};
}

bool JsonDocument::Scanner::skip_digits() {
    const char* begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
}

void JsonDocument::Scanner::skip_blank() {
    while (at_ != end_ && is_json_blank(*at_)) ++at_;
}

void JsonDocument::Scanner::add(JsonKind kind, const char* begin) {
    Entry entry;
    entry.kind = kind;
    entry.parent = open_;
    entry.key = std::exchange(key_, {});
    entry.text = {begin, at_};
    document_.link(entry);
}

std::unexpected<Error> JsonDocument::Scanner::broken(std::string_view what) const {
    const auto line = 1 + std::count(text_.data(), at_, '\n');
    return fail(Code::SpecMalformed,
                "JSON syntax error at byte " + std::to_string(at_ - text_.data()) + ", line " +
                    std::to_string(line) + ": " + std::string(what),
                "Have the file written anew, or correct it there");
}

}  // namespace gantry::oci
