// gantryctl: the program for a person at the shell.
#include <cstdio>
#include <exception>

#include "app/run_cli.hpp"

int main(int argc, char** argv, char** environment) try {
    return gantry::app::run_cli(argc, argv, environment);
} catch (const std::exception& error) {
    std::fprintf(stderr, "gantryctl: %s\n", error.what());
    return 1;
}
