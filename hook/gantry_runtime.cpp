// gantry-runtime, and its links gantry-runc and gantry-crun: what an engine
// calls as its OCI runtime.
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "app/run_shim.hpp"

int main(int argc, char** argv, char** environment) try {
    const std::vector<std::string_view> arguments(argv, argv + argc);
    return gantry::app::run_shim(arguments, environment);
} catch (const std::exception& error) {
    // Memory is all that can still throw here.
    std::fprintf(stderr, "gantry-runtime: %s\n", error.what());
    return 1;
}
