#define _GNU_SOURCE
#include "context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

/* Lines of a file of /proc, each under its own word or under `field`. */
static void put_lines(FILE *out, const char *path, const char *field, const char *const *wanted) {
    FILE *in = fopen(path, "re");
    char line[4096];
    if (!in) {
        fprintf(out, "%s: errno %d\n", field, errno);
        return;
    }
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        int take = !wanted;
        for (const char *const *word = wanted; word && *word && !take; ++word)
            take = strncmp(line, *word, strlen(*word)) == 0;
        if (take) fprintf(out, "%s: %s\n", field, line);
    }
    if (ferror(in)) fprintf(out, "%s: errno %d\n", field, errno);
    fclose(in);
}

/* Those that a runtime sets; what differs from one process to the next is left out. */
static const char *const kStatus[] = {
    "Umask:", "Uid:", "Gid:", "Groups:", "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:",
    "NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "Cpus_allowed:", "Mems_allowed:", "NSpid:",
    "THP_enabled:", "CoreDumping:", "SigIgn:", "SigBlk:", NULL};

static void put_namespaces(FILE *out) {
    static const char *const kKinds[] = {"cgroup", "ipc", "mnt", "net", "pid", "time", "user",
                                         "uts"};
    for (size_t i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
        char path[64], name[64] = "";
        snprintf(path, sizeof path, "/proc/self/ns/%s", kKinds[i]);
        const ssize_t length = readlink(path, name, sizeof name - 1);
        fprintf(out, "namespace-%s: %s\n", kKinds[i], length > 0 ? name : strerror(errno));
    }
}

/* What a seccomp filter answers; with these arguments none of them does anything. */
static void put_calls(FILE *out) {
    static const struct {
        const char *name;
        long number;
    } kCalls[] = {{"add_key", SYS_add_key},       {"bpf", SYS_bpf},
                  {"fanotify_init", SYS_fanotify_init}, {"keyctl", SYS_keyctl},
                  {"mount", SYS_mount},           {"perf_event_open", SYS_perf_event_open},
                  {"pivot_root", SYS_pivot_root}, {"ptrace", SYS_ptrace},
                  {"reboot", SYS_reboot},         {"setns", SYS_setns},
                  {"swapon", SYS_swapon},         {"userfaultfd", SYS_userfaultfd}};
    for (size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i) {
        errno = 0;
        const long result = syscall(kCalls[i].number, -1L, -1L, -1L, -1L, -1L);
        fprintf(out, "call: %s %ld errno %d\n", kCalls[i].name, result, errno);
    }
}

/* A number that was not granted, where the process may make a node at all. */
static void put_stranger(FILE *out, unsigned major_number, unsigned minor_number) {
    char path[64];
    snprintf(path, sizeof path, "/dev/stranger-%u-%u", major_number, minor_number);
    if (mknod(path, S_IFCHR | 0666, makedev(major_number, minor_number)) != 0) {
        fprintf(out, "stranger: %u:%u mknod errno %d\n", major_number, minor_number, errno);
        return;
    }
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    fprintf(out, "stranger: %u:%u open errno %d\n", major_number, minor_number,
            fd < 0 ? errno : 0);
    if (fd >= 0) close(fd);
    unlink(path);
}

static void put_nodes(FILE *out, const char *folder, int depth) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char path[PATH_MAX];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && lstat(path, &status) == 0) {
            if (S_ISDIR(status.st_mode) && depth > 0) put_nodes(out, path, depth - 1);
            if (S_ISCHR(status.st_mode) && strncmp(path, "/dev/pts/", 9) != 0 &&
                strcmp(path, "/dev/console") != 0) {
                const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
                fprintf(out, "node: %s %u:%u %o %u:%u open errno %d\n", path,
                        major(status.st_rdev), minor(status.st_rdev), (unsigned)status.st_mode,
                        status.st_uid, status.st_gid, fd < 0 ? errno : 0);
                if (fd >= 0) close(fd);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

/* Mounts without their numbers: "point options - kind options". */
static void put_mounts(FILE *out) {
    FILE *in = fopen("/proc/self/mountinfo", "re");
    char line[4096];
    while (in && fgets(line, sizeof line, in)) {
        char point[1024], options[512], kind[64], source[1024], super[1024];
        char *const rest = strstr(line, " - ");
        if (rest && sscanf(line, "%*s %*s %*s %*s %1023s %511s", point, options) == 2 &&
            sscanf(rest, " - %63s %1023s %1023s", kind, source, super) == 3)
            fprintf(out, "mount: %s %s %s %s\n", point, options, kind, super);
    }
    if (in) fclose(in);
}

void write_context(const char *path) {
    FILE *out = fopen(path, "we");
    if (!out) return;
    struct utsname names;
    char folder[PATH_MAX];
    struct sched_param parameters;
    put_lines(out, "/proc/self/status", "status", kStatus);
    put_lines(out, "/proc/self/limits", "limit", NULL);
    put_lines(out, "/proc/self/attr/current", "label", NULL);
    put_lines(out, "/proc/self/attr/exec", "label-exec", NULL);
    put_lines(out, "/proc/self/oom_score_adj", "oom_score_adj", NULL);
    put_lines(out, "/proc/self/coredump_filter", "coredump_filter", NULL);
    put_lines(out, "/proc/self/personality", "personality", NULL);
    put_lines(out, "/proc/self/uid_map", "uid_map", NULL);
    put_lines(out, "/proc/self/gid_map", "gid_map", NULL);
    put_lines(out, "/proc/self/cgroup", "cgroup", NULL);
    put_lines(out, "/proc/sys/net/ipv4/ping_group_range", "sysctl", NULL);
    fprintf(out, "securebits: %d\n", prctl(PR_GET_SECUREBITS));
    fprintf(out, "scheduler: %d\n", sched_getscheduler(0));
    if (sched_getparam(0, &parameters) == 0)
        fprintf(out, "priority: %d\n", parameters.sched_priority);
    fprintf(out, "nice: %d\n", getpriority(PRIO_PROCESS, 0));
    if (uname(&names) == 0) fprintf(out, "host: %s %s\n", names.nodename, names.domainname);
    fprintf(out, "folder: %s\n", getcwd(folder, sizeof folder) ? folder : "none");
    put_namespaces(out);
    put_mounts(out);
    put_calls(out);
    put_nodes(out, "/dev", 2);
    put_stranger(out, 195, 7);  /* another GPU of NVIDIA's */
    put_stranger(out, 1, 1);    /* the machine's memory */
    for (char **variable = environ; *variable; ++variable) fprintf(out, "env: %s\n", *variable);
    fclose(out);
}
