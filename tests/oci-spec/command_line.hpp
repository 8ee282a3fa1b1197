// Command lines in tests: words apart by one blank, '' is an empty word.
#pragma once

#include <algorithm>

#include "oci-spec/runtime_argv.hpp"

inline gantry::oci::RuntimeArgv parsed(std::string_view line, gantry::oci::RuntimeKind kind) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        words.push_back(word == "''" ? std::string_view() : word);
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return gantry::oci::parse_runtime_argv(words, kind);
}

inline constexpr auto kRunc = gantry::oci::RuntimeKind::Runc;
inline constexpr auto kCrun = gantry::oci::RuntimeKind::Crun;
