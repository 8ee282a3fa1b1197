#include "probe/inside/static/descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/inside/decimal.hpp"

namespace gantry::probe::inside {
namespace {

constexpr int kFirstFree = 3;

// For kernels before 5.9 and seccomp profiles that do not know close_range.
void close_listed(int first, int last) {
    DIR* const folder = ::opendir("/proc/self/fd");
    if (!folder) return;
    while (const dirent* const entry = ::readdir(folder)) {
        unsigned number = 0;
        if (!parse_decimal(entry->d_name, number)) continue;
        const int fd = static_cast<int>(number);
        if (fd >= first && fd <= last && fd != ::dirfd(folder)) ::close(fd);
    }
    ::closedir(folder);
}

void close_between(int first, int last) {
    if (first > last) return;
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), static_cast<unsigned>(last), 0U) !=
        0)
        close_listed(first, last);
}

// An image without /dev/null gets an empty file in memory instead.
int open_nowhere() {
    const int fd = ::open("/dev/null", O_RDWR);
    return fd >= 0 ? fd : ::memfd_create("gantry-probe-output", 0);
}

}  // namespace

Descriptors keep_only(int report_fd, int challenge_fd) {
    // Out of the way of 0 to 2 first, whatever numbers they came with.
    const int report = ::fcntl(report_fd, F_DUPFD, kFirstFree);
    const int challenge = ::fcntl(challenge_fd, F_DUPFD, kFirstFree);
    if (report < 0 || challenge < 0) return {};
    const int lower = report < challenge ? report : challenge;
    const int upper = report < challenge ? challenge : report;
    close_between(kFirstFree, lower - 1);
    close_between(lower + 1, upper - 1);
    close_between(upper + 1, 0x7FFFFFFF);
    const int nowhere = open_nowhere();
    for (int fd = 0; fd < kFirstFree; ++fd)
        if (nowhere >= 0 && nowhere != fd) ::dup2(nowhere, fd);
    if (nowhere >= kFirstFree) ::close(nowhere);
    return {report, challenge};
}

}  // namespace gantry::probe::inside
