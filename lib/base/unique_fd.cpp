#include "base/unique_fd.hpp"

#include <cerrno>

namespace gantry {

void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old < 0) return;
    const int saved = errno;
    ::close(old);
    errno = saved;
}

}  // namespace gantry
