#define _GNU_SOURCE
#include "answers.h"

#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_out.h"

enum { kLine = 8192 };

void answer_identity(void)
{
    gid_t groups[1024];
    const int count = getgroups(1024, groups);
    json_integer("uid", geteuid());
    json_integer("gid", getegid());
    json_begin("groups", '[');
    for (int i = 0; i < count; i++) json_integer(NULL, groups[i]);
    json_end(']');
}

static void answer_status(void)
{
    static const char *const kWanted[] = {"CapEff", "CapBnd", "Seccomp", "NoNewPrivs"};
    FILE *status = fopen("/proc/self/status", "re");
    char line[kLine];
    json_begin("status", '{');
    while (status && fgets(line, sizeof line, status)) {
        char *value = strchr(line, ':');
        if (!value) continue;
        *value++ = '\0';
        for (size_t i = 0; i < sizeof kWanted / sizeof *kWanted; i++) {
            if (strcmp(line, kWanted[i]) != 0) continue;
            value += strspn(value, " \t");
            value[strcspn(value, "\n")] = '\0';
            json_string(line, value);
        }
    }
    json_end('}');
    if (status) fclose(status);
}

// One array entry a line of a /proc file.
static void answer_lines(const char *key, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[kLine];
    json_begin(key, '[');
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        json_string(NULL, line);
    }
    json_end(']');
    if (file) fclose(file);
}

static void answer_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    json_begin("descriptors", '[');
    while (folder && (entry = readdir(folder))) {
        char link[64], target[4096];
        const int number = atoi(entry->d_name);
        if (number < 3 || number == dirfd(folder)) continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", number);
        const ssize_t length = readlink(link, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        json_begin(NULL, '{');
        json_integer("number", number);
        json_string("target", target);
        json_end('}');
    }
    json_end(']');
    if (folder) closedir(folder);
}

void answer_process(void)
{
    answer_status();
    answer_lines("cgroup", "/proc/self/cgroup");
    answer_descriptors();
}

void answer_mounts(void) { answer_lines("mounts", "/proc/self/mountinfo"); }
