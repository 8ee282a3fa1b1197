// gantry-hook: what an engine's hook files name.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/run_hook.hpp"

int main(int argc, char** argv) try {
    return gantry::app::run_hook(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
} catch (const std::exception& error) {
    std::fprintf(stderr, "gantry-hook: %s\n", error.what());
    return 1;
}
