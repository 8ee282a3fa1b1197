// Bound over crun in the test's own mount namespace where memlock_allowed.c is
// needed: engines drop LD_PRELOAD, so it is set here, at the last step.
//
//   beside itself, as found through LAUNCHER_FOLDER: real-crun, memlock_allowed.so
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argc;
    setenv("LD_PRELOAD", LAUNCHER_FOLDER "/memlock_allowed.so", 1);
    execv(LAUNCHER_FOLDER "/real-crun", argv);
    perror("crun launcher: " LAUNCHER_FOLDER "/real-crun");
    return 127;
}
