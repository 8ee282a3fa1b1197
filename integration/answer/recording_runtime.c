// Stands in for runc or crun: keeps what it was called with, then answers as it
// was told or becomes the real one. Works by files beside itself, since what
// an engine leaves of the environment is one of the things it records.
//
//   FOLDER/runc              this program, under the name it plays
//   FOLDER/runc.exec         path of a runtime to become afterwards (optional)
//   FOLDER/runc.stdout       text for standard output (optional)
//   FOLDER/runc.stderr       text for standard error (optional)
//   FOLDER/runc.exit         exit status (optional, 0)
//   FOLDER/calls/N/          argv, environ (NUL-separated), cwd, fds, stdin,
//                            config.json (as it was at that moment)
//
// With .exec, standard input belongs to the real runtime and is not read.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static char self[PATH_MAX], record[PATH_MAX + 32];

static void die(const char *what)
{
    fprintf(stderr, "recording-runtime: %s: %s\n", what, strerror(errno));
    exit(70);
}

static FILE *create(const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", record, name);
    FILE *file = fopen(path, "we");
    if (!file) die(path);
    return file;
}

static FILE *setting(const char *suffix)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s.%s", self, suffix);
    return fopen(path, "re");
}

static void copy(FILE *from, FILE *to)
{
    char block[4096];
    size_t count;
    while ((count = fread(block, 1, sizeof block, from)) > 0) fwrite(block, 1, count, to);
    fflush(to);
}

static void record_strings(const char *name, char **strings)
{
    FILE *file = create(name);
    for (; *strings; strings++) fwrite(*strings, 1, strlen(*strings) + 1, file);
    fclose(file);
}

static void record_descriptors(void)
{
    // Listed before any file of ours is open; the folder's own is left out.
    char text[8192] = "";
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char link[64], target[PATH_MAX];
        const int number = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || number == dirfd(folder)) continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", number);
        const ssize_t length = readlink(link, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d %.512s\n", number, target);
    }
    if (folder) closedir(folder);
    FILE *file = create("fds");
    fputs(text, file);
    fclose(file);
}

// The config.json of this call, by the plain spellings that engines and these
// tests use for the bundle; the working directory's otherwise.
static void record_config(int argc, char **argv)
{
    const char *bundle = ".";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--bundle=", 9) == 0) bundle = argv[i] + 9;
        const bool separate = strcmp(argv[i], "--bundle") == 0 || strcmp(argv[i], "-b") == 0;
        if (separate && i + 1 < argc) bundle = argv[i + 1];
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/config.json", bundle);
    FILE *config = fopen(path, "re");
    if (!config) return;
    FILE *file = create("config.json");
    copy(config, file);
    fclose(file);
    fclose(config);
}

static void make_record_folder(void)
{
    char base[PATH_MAX], calls[PATH_MAX + 8];
    strcpy(base, self);
    snprintf(calls, sizeof calls, "%s/calls", dirname(base));
    if (mkdir(calls, 0755) < 0 && errno != EEXIST) die(calls);
    for (int number = 1; number < 100000; number++) {
        snprintf(record, sizeof record, "%s/%05d", calls, number);
        if (mkdir(record, 0755) == 0) return;
        if (errno != EEXIST) die(record);
    }
    die("no free record");
}

int main(int argc, char **argv)
{
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) die("/proc/self/exe");
    self[length] = '\0';
    make_record_folder();
    record_descriptors();
    record_strings("argv", argv);
    record_strings("environ", environ);
    FILE *cwd = create("cwd");
    char *here = getcwd(NULL, 0);
    fputs(here ? here : "?", cwd);
    fclose(cwd);
    record_config(argc, argv);

    FILE *file = setting("exec");
    if (file) {
        char target[PATH_MAX] = "";
        if (!fgets(target, sizeof target, file)) die("reading .exec");
        fclose(file);
        target[strcspn(target, "\n")] = '\0';
        execve(target, argv, environ);
        die(target);
    }
    FILE *input = create("stdin");
    copy(stdin, input);
    fclose(input);
    if ((file = setting("stdout"))) copy(file, stdout);
    if ((file = setting("stderr"))) copy(file, stderr);
    int status = 0;
    if ((file = setting("exit")) && fscanf(file, "%d", &status) != 1) die("reading .exit");
    return status;
}
