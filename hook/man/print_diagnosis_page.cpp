// Prints gantry-diagnosis(7) as the table of lib/diagnosis has it.
#include <cstdio>

#include "diagnosis/render_man.hpp"

int main() { return std::fputs(gantry::diagnosis::render_man_page().c_str(), stdout) < 0 ? 1 : 0; }
