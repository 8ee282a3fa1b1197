// The answering binary: runs as a container's process and says what a process
// there really gets, as one JSON object on one line.
//
//   gantry-answer [--mknod MAJOR:MINOR]… [--mounts] [--wait] [--exit STATUS]
//
// --wait keeps it running, after the answer, until it is killed.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "json_out.h"

extern char **environ;

static int usage(const char *problem)
{
    fprintf(stderr, "gantry-answer: %s\n", problem);
    return 2;
}

int main(int argc, char **argv)
{
    bool mounts = false, wait = false;
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--mounts") == 0) mounts = true;
        else if (strcmp(argv[i], "--wait") == 0) wait = true;
        else if (i + 1 == argc) return usage("option unknown or without its value");
        else if (strcmp(argv[i], "--exit") == 0) status = atoi(argv[++i]);
        else if (strcmp(argv[i], "--mknod") == 0) i++;
        else return usage("unknown option");
    }

    json_begin(NULL, '{');
    answer_identity();
    json_begin("env", '[');
    for (char **variable = environ; *variable; variable++) json_string(NULL, *variable);
    json_end(']');
    // Before the nodes that --mknod makes.
    answer_nodes();
    json_begin("mknod", '[');
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--mknod") == 0) answer_mknod(argv[++i]);
    }
    json_end(']');
    answer_process();
    if (mounts) answer_mounts();
    json_end('}');
    putchar('\n');
    if (fflush(stdout) != 0) return 1;

    while (wait) pause();
    return status;
}
