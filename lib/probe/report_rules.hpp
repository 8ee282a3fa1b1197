// One line of a report, taken apart. Internal to the parser.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "probe/report.hpp"

namespace gantry::probe {

using Fields = std::vector<std::string_view>;  // the line's word included

struct LineRule {
    std::string_view word;
    std::size_t least, most;                 // fields, the word included
    bool (*take)(Report&, const Fields&);    // false: not of the protocol
};
[[nodiscard]] std::span<const LineRule> gpu_line_rules();

template <class Number>
[[nodiscard]] bool take(std::string_view text, Number& number) {
    const auto value = parse_decimal(text);
    if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
        return false;
    number = static_cast<Number>(*value);
    return true;
}

template <class Number>
[[nodiscard]] bool take_signed(std::string_view text, Number& number) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    if (!take(text, number)) return false;
    if (negative) number = -number;
    return true;
}

[[nodiscard]] inline bool take_text(std::string_view text, std::string& value) {
    if (!value.empty() || text.empty()) return false;  // nothing is believed twice
    value = text;
    return true;
}

[[nodiscard]] LibraryReport* library_of(Report& report, std::string_view vendor);
// Made where it is not known yet; null where no GPU can have that number.
[[nodiscard]] GpuReport* gpu_of(Report& report, std::string_view vendor, std::string_view index);
[[nodiscard]] bool take_failed(const Fields& f, FailedCall& failed);

}  // namespace gantry::probe
