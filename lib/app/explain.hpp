// `gantryctl explain`: the table of lib/diagnosis for a person.
#pragma once

#include <string>

namespace gantry::app {

struct Explained {
    bool found = false;
    std::string text;  // where nothing was found: what comes near
};

[[nodiscard]] Explained explain(const std::string& query);

}  // namespace gantry::app
