// Finds explanations by a code, by a status of a vendor's library, or by words
// that a program printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/explanation.hpp"

namespace gantry::diagnosis {

// What one query led to. `near`: nothing was found, and these come closest.
struct Findings {
    std::vector<const Explanation*> explanations;
    std::vector<const probe::Diagnosis*> statuses;
    std::vector<const Explanation*> near;

    [[nodiscard]] bool found() const { return !explanations.empty() || !statuses.empty(); }
};

// "GTY-204", "gty204", "204"; "hsa 0x1008", "cuda 999", "CUDA_ERROR_UNKNOWN"; else
// text: a whole line or log that has a known saying in it, or a part of a
// saying or title. Letter case and runs of blanks do not count.
[[nodiscard]] Findings look_up(std::string_view query);

// "HSA 0x1008", "CUDA 999": as the vendors' headers write their numbers.
[[nodiscard]] std::string status_number(const probe::Diagnosis& status);
// "HSA_STATUS_ERROR_OUT_OF_RESOURCES", "CUDA_ERROR_UNKNOWN".
[[nodiscard]] std::string status_name(const probe::Diagnosis& status);

}  // namespace gantry::diagnosis
