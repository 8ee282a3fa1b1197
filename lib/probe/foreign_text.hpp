// Words of others (a dynamic loader, a low-level runtime, a path out of an
// image) in our messages. Docker looks for some phrases anywhere in an error
// and then reports 126 or 127, "command not found", instead of what happened
// (moby, daemon/errors.go); those phrases are put in other words.
#pragma once

#include <string>
#include <string_view>

namespace gantry::probe {

[[nodiscard]] std::string without_engine_phrases(std::string_view text);

// The same, one printable line of about max_bytes at most.
[[nodiscard]] std::string foreign_text(std::string_view text, std::size_t max_bytes);

// For a headline: the end of a path is what tells it from others.
[[nodiscard]] std::string short_path(std::string_view path, std::size_t max_bytes = 32);

}  // namespace gantry::probe
