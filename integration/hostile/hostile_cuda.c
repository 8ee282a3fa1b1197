/* TEST DOUBLE: see acts.h. The fake's own cuInit has another name in this library. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acts.h"
#include "orders.h"

int fake_cuInit(unsigned flags);

/* argv of the check: its name, the report, the challenges, … */
static int argument(int number) {
    static char words[4096];
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, words, sizeof words - 1);
    if (fd >= 0) close(fd);
    const char *word = words;
    for (; number > 0 && word - words < size; --number) word += strlen(word) + 1;
    return word - words < size ? atoi(word) : -1;
}

int report_fd(void) { return argument(1); }
int challenge_fd(void) { return argument(2); }

void say(const char *text) {
    const size_t size = strlen(text);
    if (write(report_fd(), text, size) != (ssize_t)size) _exit(9);
}

FAKE_EXPORT int cuInit(unsigned flags) {
    const struct act *const tables[] = {acts, forgeries};
    for (unsigned i = 0; i < 2; ++i)
        for (const struct act *act = tables[i]; act->name; ++act)
            if (fake_told("act", act->name)) act->perform();
    return fake_cuInit(flags);
}
