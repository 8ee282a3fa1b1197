// What gantry-probe and its reader must agree on. Free of the C++ library: the
// part that runs in the container links none.
#pragma once

#include <cstddef>

namespace gantry::probe {

inline constexpr unsigned kProtocolVersion = 1;

// PIPE_BUF of Linux, pipe(7): a write of at most this much is never torn.
inline constexpr std::size_t kMaxLineBytes = 4096;

// The stage at which the image's dynamic loader takes over. It exits with 127
// where it lacks a library or a symbol, before any code of ours runs.
inline constexpr char kStageLoader[] = "start the loader of the image";
inline constexpr int kLoaderRefused = 127;

// Instead of a status code: the library lacks the function that was to be called.
inline constexpr int kNoSuchFunction = -1;

// Control characters would end a field or a line early; both sides put '?'.
[[nodiscard]] constexpr char line_char(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f ? '?' : c;
}

}  // namespace gantry::probe
