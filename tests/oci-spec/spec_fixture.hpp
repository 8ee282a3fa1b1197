// Text of tests/fixtures/specs/NAME.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

inline std::string spec_fixture(const std::string& name) {
    std::ifstream file(std::string(GANTRY_FIXTURES) + "/specs/" + name);
    if (!file) throw std::runtime_error("no fixture specs/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}
