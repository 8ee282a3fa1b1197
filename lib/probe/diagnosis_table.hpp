// What a status code of a vendor library means inside a container. Data only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/code.hpp"

namespace gantry::probe {

enum class Library : std::uint8_t { Hsa, Hip, Cuda };

struct Diagnosis {
    Library library;
    std::int64_t code;
    std::string_view name;    // without the library's prefix
    std::string_view action;  // a few imperative words, for the headline
    std::string_view cause;   // whole sentences
    Code error = Code::ProbeLibraryFailed;
    std::string_view call = {};  // of this call only; rows with one stand before those without
};

[[nodiscard]] std::span<const Diagnosis> diagnosis_table();
[[nodiscard]] const Diagnosis* find_diagnosis(Library library, std::int64_t code,
                                              std::string_view call = {});

}  // namespace gantry::probe
