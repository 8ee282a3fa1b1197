// What gantry-probe and its reader must agree on. Free of the C++ library: the
// part that runs in the container links none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::probe {

inline constexpr unsigned kProtocolVersion = 2;

// PIPE_BUF of Linux, pipe(7): a write of at most this much is never torn.
inline constexpr std::size_t kMaxLineBytes = 4096;

// The stage at which the image's dynamic loader takes over. It exits with 127
// where it lacks a library or a symbol, before any code of ours runs.
inline constexpr char kStageLoader[] = "start the loader of the image";
inline constexpr int kLoaderRefused = 127;

// Instead of a status code: the library lacks the function that was to be called.
inline constexpr int kNoSuchFunction = -1;
// Likewise: none of the compiled kernels is for the GPU's instruction set.
inline constexpr int kNoCodeObject = -2;

// In a list of granted GPUs: whatever GPU the library shows (simulated hosts).
inline constexpr char kAnyGpu[] = "any";
// And one that is granted, and not to be computed on: counted alone.
inline constexpr char kNoGpu[] = "none";

// Row sums in one line: sixteen hexadecimal digits each.
inline constexpr std::uint32_t kSumsPerLine = 128;

// Why a GPU is not computed on though nothing is wrong with it.
inline constexpr char kBusyMemory[] = "memory";        // too little is free
inline constexpr char kBusyExclusive[] = "exclusive";  // compute mode exclusive or prohibited
inline constexpr char kBusyMps[] = "mps";              // its clients share the GPU through MPS
inline constexpr char kBusyHeld[] = "held";            // the driver refused a context for now

// A challenge, on its own pipe, is the line "VENDOR INDEX ROUND SEED\n", SEED
// in hexadecimal; it answers the `product` line of that GPU and round.
inline constexpr std::size_t kMaxChallengeBytes = 64;

// Control characters would end a field or a line early; both sides put '?'.
[[nodiscard]] constexpr char line_char(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f ? '?' : c;
}

}  // namespace gantry::probe
