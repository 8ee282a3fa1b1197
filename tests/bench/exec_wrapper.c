/* The least that a shim can cost: a static program that becomes another one.
 *   exec-wrapper PROGRAM [ARGUMENT...]   with argv[0] of the caller dropped */
#include <unistd.h>

extern char** environ;

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    execve(argv[1], argv + 1, environ);
    return 127;
}
