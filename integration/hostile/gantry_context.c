/* A container's program: writes its context into the file that it is given. */
#include "context.h"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    write_context(argv[1]);
    return 0;
}
