/* Times commands against each other on a noisy machine: they run in turn, so
 * that each meets the same disturbances.
 *
 *   run-timed ROUNDS NAME COMMAND... -- NAME COMMAND... [-- ...]
 *
 * An argument with "{}" in it gets the round's number in that place: a create
 * that edits its bundle needs a fresh one each time. Warm-up rounds come first
 * and count too: kWarmUps + ROUNDS numbers in all, from 0.
 *
 * Prints one line a command: NAME MINIMUM MEDIAN CPU PEAK, in microseconds and
 * KiB. CPU is the median of the time on a processor, which is less at the mercy
 * of other load than the time on the clock. PEAK is the most resident memory of any program that the command was, up to
 * and including the last one that it became by execve. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

enum { kMaxCommands = 8, kMaxArguments = 32, kMaxText = 4096, kWarmUps = 3 };

struct command {
    const char* name;
    char** argv;
    double *samples, *used;
    long peak;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double microseconds(const struct timeval* t) {
    return (double)t->tv_sec * 1e6 + (double)t->tv_usec;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void die(const char* name, const char* what) {
    fprintf(stderr, "run-timed: %s %s\n", name, what);
    exit(1);
}

/* The arguments of one round, in memory that the next call overwrites. */
static char** with_round(const struct command* command, int round) {
    static char text[kMaxText];
    static char* argv[kMaxArguments];
    size_t used = 0;
    int i = 0;
    for (; command->argv[i]; ++i) {
        if (i + 1 == kMaxArguments) die(command->name, "has too many arguments");
        const char* mark = strstr(command->argv[i], "{}");
        argv[i] = command->argv[i];
        if (!mark) continue;
        argv[i] = text + used;
        const int length = snprintf(text + used, sizeof text - used, "%.*s%d%s",
                                    (int)(mark - command->argv[i]), command->argv[i], round,
                                    mark + 2);
        used += (size_t)length + 1;
        if (used > sizeof text) die(command->name, "has too long arguments");
    }
    argv[i] = NULL;
    return argv;
}

static double run_once(struct command* command, int round, double* used) {
    pid_t pid;
    int status;
    struct rusage usage;
    char** argv = with_round(command, round);
    const double begin = now();
    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
        die(command->name, "cannot be started");
    if (wait4(pid, &status, 0, &usage) != pid || status != 0) die(command->name, "failed");
    const double taken = now() - begin;
    *used = microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime);
    if (usage.ru_maxrss > command->peak) command->peak = usage.ru_maxrss;
    return taken;
}

int main(int argc, char** argv) {
    const int rounds = argc > 3 ? atoi(argv[1]) : 0;
    if (rounds < 1) return 2;
    struct command commands[kMaxCommands];
    int count = 0;
    for (int i = 2; i + 1 < argc && count < kMaxCommands; ++count, ++i) {
        commands[count] = (struct command){argv[i], &argv[i + 1],
                                           calloc((size_t)rounds, sizeof(double)),
                                           calloc((size_t)rounds, sizeof(double)), 0};
        while (i < argc && strcmp(argv[i], "--") != 0) ++i;
        if (i < argc) argv[i] = NULL;
    }
    for (int round = 0; round < kWarmUps + rounds; ++round)
        for (int c = 0; c < count; ++c) {
            double used;
            const double taken = run_once(&commands[c], round, &used);
            if (round < kWarmUps) continue;
            commands[c].samples[round - kWarmUps] = taken;
            commands[c].used[round - kWarmUps] = used;
        }
    for (int c = 0; c < count; ++c) {
        qsort(commands[c].samples, (size_t)rounds, sizeof(double), ascending);
        qsort(commands[c].used, (size_t)rounds, sizeof(double), ascending);
        printf("%s %.1f %.1f %.1f %ld\n", commands[c].name, commands[c].samples[0],
               commands[c].samples[rounds / 2], commands[c].used[rounds / 2], commands[c].peak);
    }
    return 0;
}
