// Tests that need more of the machine than all have say why they do not run;
// with MUST_WORK=1, as in CI, that is a failure.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "catch.hpp"

inline bool not_here(bool possible, const std::string& reason) {
    if (possible) return false;
    const char* const must_work = std::getenv("MUST_WORK");
    if (must_work && std::strcmp(must_work, "1") == 0) FAIL("cannot run here: " << reason);
    WARN("skipped: " << reason);
    return true;
}
