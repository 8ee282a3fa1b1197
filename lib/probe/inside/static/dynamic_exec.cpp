#include "probe/inside/static/dynamic_exec.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // since Linux 6.3, include/uapi/linux/memfd.h
#endif

extern "C" const char gantry_dynamic_part[], gantry_dynamic_part_end[];

namespace gantry::probe::inside {
namespace {

// Without MFD_EXEC newer kernels complain in the log, and with the sysctl
// vm.memfd_noexec=1 the file could not be executed; older ones answer EINVAL.
int create_memory_file() {
    constexpr char kName[] = "gantry-probe-dynamic";
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int fd = ::memfd_create(kName, kFlags | MFD_EXEC);
    return fd >= 0 || errno != EINVAL ? fd : ::memfd_create(kName, kFlags);
}

bool write_all(int fd, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(fd, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

int exec_dynamic_part(const Descriptors& descriptors, const Arguments& arguments) {
    const int fd = create_memory_file();
    if (fd < 0) return errno;
    const auto size = static_cast<std::size_t>(gantry_dynamic_part_end - gantry_dynamic_part);
    if (!write_all(fd, gantry_dynamic_part, size)) return errno;
    // Sealed: the process it becomes belongs to the container's user.
    if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        return errno;

    char report[16], challenge[16];
    std::snprintf(report, sizeof report, "%d", descriptors.report);
    std::snprintf(challenge, sizeof challenge, "%d", descriptors.challenge);
    const char* const argv[] = {"gantry-probe", report,           challenge, arguments.amd,
                                arguments.nvidia, arguments.gemm, nullptr};
    ::syscall(SYS_execveat, fd, "", const_cast<char* const*>(argv), environ, AT_EMPTY_PATH);
    if (errno != ENOSYS && errno != EPERM) return errno;
    // Seccomp profiles that do not know execveat.
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ::execve(path, const_cast<char* const*>(argv), environ);
    return errno;
}

}  // namespace gantry::probe::inside
