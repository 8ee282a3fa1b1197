// What an error means, why it comes and what to do: one table, which `gantryctl
// explain` prints, gantry-diagnosis(7) is made of, and a person can search by
// the words that frameworks print. Data only, and pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/code.hpp"
#include "probe/diagnosis_table.hpp"

namespace gantry::diagnosis {

// In texts of several, one a line. What is to be typed or is a name stands in
// backticks.
struct Explanation {
    std::optional<Code> code;  // none: no refusal of Gantry's, but what it cannot see or prevent
    std::string_view title;
    std::string_view meaning;   // one sentence
    std::string_view causes;    // the usual one first
    std::string_view remedies;  // in the order of trying
    std::string_view sayings;   // what programs print then, letter by letter, without what varies
};

[[nodiscard]] std::span<const Explanation> explanations();
[[nodiscard]] const Explanation* find_explanation(unsigned number);

// What programs print for a status code of a vendor's library.
struct StatusSaying {
    probe::Library library;
    std::int64_t code;
    std::string_view saying;
};
[[nodiscard]] std::span<const StatusSaying> status_sayings();

}  // namespace gantry::diagnosis
