#include "sys/file_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>

namespace gantry::sys {
namespace {

// flock has no time limit of its own, and a signal's would be the whole process's.
constexpr int kRetryMilliseconds = 10;

}  // namespace

UniqueFd lock_file(const std::string& path, std::chrono::steady_clock::time_point deadline) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    while (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        const int cause = errno;
        if (cause != EINTR && (cause != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline)) {
            fd.reset();
            errno = cause;
            break;
        }
        ::poll(nullptr, 0, kRetryMilliseconds);
    }
    return fd;
}

}  // namespace gantry::sys
