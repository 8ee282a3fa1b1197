#include "oci-spec/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "oci-spec/json_document.hpp"

namespace gantry::oci {
namespace {

struct Escape {
    char letter, byte;
};

constexpr Escape kEscapes[] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                               {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};

void append_utf8(std::uint32_t point, std::string& out) {
    const auto low = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += {static_cast<char>(0xC0 | (point >> 6)), low(0)};
    } else if (point < 0x10000) {
        out += {static_cast<char>(0xE0 | (point >> 12)), low(6), low(0)};
    } else {
        out += {static_cast<char>(0xF0 | (point >> 18)), low(12), low(6), low(0)};
    }
}

// The four digits after `\u`, which the scanner has seen.
std::uint32_t hex4(std::string_view digits) {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + 4, value, 16);
    return value;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Decodes `\uXXXX`, or a pair of them, at the front of `rest`; gives its length.
std::size_t append_unicode_escape(std::string_view rest, std::string& out) {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const std::uint32_t unit = hex4(rest.substr(2));
    if (is_high_surrogate(unit) && rest.size() >= 12 && rest.substr(6, 2) == "\\u") {
        const std::uint32_t second = hex4(rest.substr(8));
        if (is_low_surrogate(second)) {
            append_utf8(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00), out);
            return 12;
        }
    }
    const bool lone = is_high_surrogate(unit) || is_low_surrogate(unit);
    append_utf8(lone ? kReplacement : unit, out);
    return 6;
}

}  // namespace

std::string json_unquote(std::string_view literal) {
    std::string_view rest = literal.substr(1, literal.size() - 2);
    if (rest.find('\\') == rest.npos) return std::string(rest);
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t plain = std::min(rest.find('\\'), rest.size());
        out += rest.substr(0, plain);
        rest.remove_prefix(plain);
        if (rest.empty()) break;
        if (rest[1] == 'u') {
            rest.remove_prefix(append_unicode_escape(rest, out));
            continue;
        }
        for (const Escape& escape : kEscapes)
            if (escape.letter == rest[1]) out += escape.byte;
        rest.remove_prefix(2);
    }
    return out;
}

std::string json_quote(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    out.reserve(text.size() + 2);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += {'\\', c};
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20) {
            out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace gantry::oci
