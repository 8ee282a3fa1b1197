#define _GNU_SOURCE
#include "answers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "json_out.h"

enum { kMaxDepth = 8, kMaxPath = 4096 };

static int open_errno(const char *path)
{
    const int fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return errno;
    close(fd);
    return 0;
}

// Other nodes are not opened: that may block or take a terminal.
static bool is_gpu_like(const char *path)
{
    return strcmp(path, "/dev/kfd") == 0 || strncmp(path, "/dev/dri/", 9) == 0 ||
           strncmp(path, "/dev/nvidia", 11) == 0;
}

static void answer_node(const char *path, const struct stat *node)
{
    char mode[8];
    snprintf(mode, sizeof mode, "%04o", (unsigned)(node->st_mode & 07777));
    json_begin(NULL, '{');
    json_string("path", path);
    json_string("type", S_ISCHR(node->st_mode) ? "c" : "b");
    json_integer("major", major(node->st_rdev));
    json_integer("minor", minor(node->st_rdev));
    json_string("mode", mode);
    json_integer("uid", node->st_uid);
    json_integer("gid", node->st_gid);
    if (is_gpu_like(path)) json_errno("open", open_errno(path));
    json_end('}');
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk(const char *folder, int depth)
{
    struct dirent **entries;
    const int count = depth > kMaxDepth ? -1 : scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char path[kMaxPath];
        struct stat node;
        const char *name = entries[i]->d_name;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && length < kMaxPath &&
            lstat(path, &node) == 0) {
            if (S_ISDIR(node.st_mode)) walk(path, depth + 1);
            if (S_ISCHR(node.st_mode) || S_ISBLK(node.st_mode)) answer_node(path, &node);
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

void answer_nodes(void)
{
    json_begin("nodes", '[');
    walk("/dev", 0);
    json_end(']');
}

void answer_mknod(const char *major_minor)
{
    static const char kPath[] = "/dev/gantry-answer-node";
    unsigned node_major = 0, node_minor = 0;
    json_begin(NULL, '{');
    json_string("node", major_minor);
    if (sscanf(major_minor, "%u:%u", &node_major, &node_minor) != 2) {
        json_errno("mknod", EINVAL);
    } else {
        const bool made = mknod(kPath, S_IFCHR | 0666, makedev(node_major, node_minor)) == 0;
        json_errno("mknod", made ? 0 : errno);
        if (made) {
            json_errno("open", open_errno(kPath));
            unlink(kPath);
        }
    }
    json_end('}');
}
