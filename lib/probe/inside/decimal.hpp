// Strict decimal numbers without the C++ library.
#pragma once

namespace gantry::probe::inside {

// Reads digits up to `end`, leaves `cursor` behind that character (or on the
// terminating zero). No sign, no blanks, at most what unsigned holds.
[[nodiscard]] inline bool take_decimal(const char*& cursor, char end, unsigned& value) {
    unsigned long long sum = 0;
    const char* const first = cursor;
    for (; *cursor >= '0' && *cursor <= '9'; ++cursor) {
        sum = sum * 10 + static_cast<unsigned>(*cursor - '0');
        if (sum > 0xFFFFFFFFULL) return false;
    }
    if (cursor == first || *cursor != end) return false;
    if (end != '\0') ++cursor;
    value = static_cast<unsigned>(sum);
    return true;
}

[[nodiscard]] inline bool parse_decimal(const char* text, unsigned& value) {
    return take_decimal(text, '\0', value);
}

}  // namespace gantry::probe::inside
