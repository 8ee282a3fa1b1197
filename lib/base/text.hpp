// Strict parsing of small texts. None of these skips blanks, accepts a sign or
// wraps around: "7x", "+7", "" and 18446744073709551616 are all refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text);  // no 0x
[[nodiscard]] std::optional<std::uint64_t> parse_octal(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);  // ASCII blanks
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string to_lower(std::string_view text);  // ASCII only
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);

// For messages: control characters and bytes outside ASCII become \xNN, and the
// text is cut after max_bytes, so a hostile value cannot forge log lines.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 80);

}  // namespace gantry
