/* TEST DOUBLE: see acts.h. */
#define _GNU_SOURCE
#include "acts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "context.h"
#include "orders.h"

/* Processes in sessions of their own that keep every descriptor and never end. */
static void leave_daemons(void) {
    for (int i = 0; i < 16; ++i) {
        if (fork() != 0) continue;
        setsid();
        if (fork() != 0) _exit(0);
        for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
        alarm(0);
        for (;;) pause();
    }
}

static void flood_report(void) {
    for (;;) say("note\tand again\n");
}

static void flood_output(void) {
    char text[4096];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 4096; ++i)
        for (int fd = 1; fd <= 2; ++fd)
            if (write(fd, text, sizeof text) < 0) return;
}

static void write_endless_line(void) {
    char text[4097];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 10; ++i) say(text);
    _exit(0);
}

static void write_bytes(void) {
    unsigned char bytes[16384];
    unsigned state = 1;
    for (size_t i = 0; i < sizeof bytes; ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
    if (write(report_fd(), bytes, sizeof bytes) < 0) _exit(9);
    _exit(0);
}

static void exit_early(void) { _exit(0); }

static void close_all(void) {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
}

/* From now on no challenge comes, or there is an end of them. */
static void replace_challenges(int keep_writer) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[0], challenge_fd()) < 0) _exit(9);
    if (!keep_writer) close(ends[1]);
}
static void keep_challenges(void) { replace_challenges(1); }
static void end_challenges(void) { replace_challenges(0); }

/* Whatever comes is no seed. */
static void spoil_challenges(void) {
    int ends[2];
    static const char kLine[] = "nvidia 0 0 zzzz\nnvidia 0 0 ffffffffffffffffffffffffffffff\n";
    if (pipe(ends) != 0 || write(ends[1], kLine, sizeof kLine - 1) < 0 ||
        dup2(ends[0], challenge_fd()) < 0)
        _exit(9);
}

/* A file of the orders; see test_gemm_stuck.py for one that never opens. */
static void with_path(void (*use)(const char *)) {
    unsigned long length = 0;
    const char *const told = fake_text("path", &length);
    char path[256] = "";
    if (!told || length >= sizeof path) _exit(9);
    memcpy(path, told, length);
    use(path);
}
static void open_file(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
}
/* Not hostile: one GPU for several checks, each of which is slow beside another. */
static void share_gpu(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);  /* held until the process ends */
    if (fd < 0) _exit(9);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) setenv("GANTRY_FAKE_GPU", "gflops=10", 1);
}
static void share_path(void) { with_path(share_gpu); }
static void open_path(void) { with_path(open_file); }
static void open_aside(void) {
    if (fork() != 0) return;
    open_path();
    _exit(0);
}
static void tell_context(void) { with_path(write_context); }

const struct act acts[] = {{"daemons", leave_daemons},
                           {"flood", flood_report},
                           {"output", flood_output},
                           {"endless-line", write_endless_line},
                           {"bytes", write_bytes},
                           {"exit", exit_early},
                           {"close", close_all},
                           {"keep-challenges", keep_challenges},
                           {"end-challenges", end_challenges},
                           {"spoil-challenges", spoil_challenges},
                           {"open", open_path},
                           {"open-aside", open_aside},
                           {"context", tell_context},
                           {"share", share_path},
                           {NULL, NULL}};
