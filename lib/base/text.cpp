#include "base/text.hpp"

#include <charconv>
#include <cstdio>

namespace gantry {
namespace {

std::optional<std::uint64_t> parse_base(std::string_view text, int base) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::optional<std::uint64_t> parse_decimal(std::string_view text) { return parse_base(text, 10); }
std::optional<std::uint64_t> parse_hex(std::string_view text) { return parse_base(text, 16); }
std::optional<std::uint64_t> parse_octal(std::string_view text) { return parse_base(text, 8); }

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string joined;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) joined += separator;
        joined += part;
    }
    return joined;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string safe;
    for (const char c : text) {
        if (safe.size() >= max_bytes) return safe + "...";
        if (c >= ' ' && c <= '~') {
            safe += c;
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
            safe += escaped;
        }
    }
    return safe;
}

}  // namespace gantry
