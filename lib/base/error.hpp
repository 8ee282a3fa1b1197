// Errors are values: every fallible function returns Result<T>, and the error
// already carries what a person needs to act (a stable code, the sentence, the
// remedy). Only app/ and hook/ turn an Error into output.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/code.hpp"

namespace gantry {

struct [[nodiscard]] Error {
    Code code;
    std::string message;  // one sentence: which thing, what happened, why
    std::string remedy;   // one imperative sentence, may be empty

    // The text a person reads: "GTY-202: message. remedy" in at most
    // kMaxErrorBytes bytes; cut at a UTF-8 boundary with "…" where longer.
    [[nodiscard]] std::string text() const;
};

// Engines cut or fold long errors; beyond this nobody reads on.
inline constexpr std::size_t kMaxErrorBytes = 500;

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(Code code, std::string message,
                                                 std::string remedy = {}) {
    return std::unexpected(Error{code, std::move(message), std::move(remedy)});
}

// "No such file or directory" and "Permission denied" make Docker report exit
// code 127 or 126 ("command not found"), so errno texts are put in our words:
// "does not exist (ENOENT)", "access refused (EACCES)", …
[[nodiscard]] std::string errno_text(int error_number);

}  // namespace gantry

// gcc 12 has no monadic std::expected; these two keep the call sites flat.
#define GANTRY_CONCAT_(a, b) a##b
#define GANTRY_CONCAT(a, b) GANTRY_CONCAT_(a, b)
#define GANTRY_TRY_(result, variable, ...)                           \
    auto result = (__VA_ARGS__);                                     \
    if (!result) return std::unexpected(std::move(result).error()); \
    variable = std::move(*result)
// GANTRY_TRY(auto text, read_file(path));
#define GANTRY_TRY(variable, ...) \
    GANTRY_TRY_(GANTRY_CONCAT(gantry_result_, __LINE__), variable, __VA_ARGS__)
// GANTRY_CHECK(write_file(path, text));
#define GANTRY_CHECK(...)                                                  \
    if (auto gantry_status = (__VA_ARGS__); !gantry_status)                \
    return std::unexpected(std::move(gantry_status).error())
