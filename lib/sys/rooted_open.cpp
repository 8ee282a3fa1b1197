#include "sys/rooted_open.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <climits>
#include <vector>

namespace gantry::sys {
namespace {

// As many as the kernel follows (MAXSYMLINKS).
constexpr int kMaxLinks = 40;
// openat2 answers EAGAIN when something in the system was renamed while it went
// through a ".."; sysfs links are full of these.
constexpr int kMaxTries = 16;

UniqueFd failure(int error_number) {
    errno = error_number;
    return UniqueFd{};
}

// The walk: a stack of open folders, so that ".." goes to a folder we came
// through and never to whatever the path names by now.
class Walk {
public:
    Walk(int root_fd, std::string_view path) : root_fd_(root_fd) { push(path); }

    UniqueFd open(int flags) {
        while (!pending_.empty()) {
            const std::string name = std::move(pending_.back());
            pending_.pop_back();
            if (name.empty() || name == ".") continue;
            if (name == "..") {
                if (!folders_.empty()) folders_.pop_back();
                continue;
            }
            UniqueFd step{::openat(current(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
            struct stat status;
            if (!step || ::fstat(step.get(), &status) != 0) return UniqueFd{};
            const bool last = pending_.empty();
            if (S_ISLNK(status.st_mode)) {
                if (last && (flags & O_NOFOLLOW) != 0)
                    return (flags & O_PATH) != 0 ? std::move(step) : failure(ELOOP);
                if (!follow(step)) return UniqueFd{};
                continue;
            }
            if (last) return finish(name, std::move(step), S_ISDIR(status.st_mode), flags);
            if (!S_ISDIR(status.st_mode)) return failure(ENOTDIR);
            folders_.push_back(std::move(step));
        }
        return UniqueFd{::openat(current(), ".", (flags & ~O_NOFOLLOW) | O_CLOEXEC)};
    }

private:
    [[nodiscard]] int current() const {
        return folders_.empty() ? root_fd_ : folders_.back().get();
    }

    UniqueFd finish(const std::string& name, UniqueFd step, bool folder, int flags) {
        if ((flags & O_PATH) == 0)
            return UniqueFd{::openat(current(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC)};
        if ((flags & O_DIRECTORY) != 0 && !folder) return failure(ENOTDIR);
        return step;
    }

    bool follow(const UniqueFd& link) {
        char target[PATH_MAX];
        const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
        if (size < 0) return false;
        if (++links_ > kMaxLinks || size == sizeof target) {
            errno = ELOOP;
            return false;
        }
        if (size > 0 && target[0] == '/') folders_.clear();
        push({target, static_cast<std::size_t>(size)});
        return true;
    }

    void push(std::string_view path) {
        for (std::size_t end = path.size();;) {
            const std::size_t slash = end == 0 ? path.npos : path.rfind('/', end - 1);
            const std::size_t begin = slash == path.npos ? 0 : slash + 1;
            pending_.emplace_back(path.substr(begin, end - begin));
            if (slash == path.npos) return;
            end = slash;
        }
    }

    int root_fd_;
    int links_ = 0;
    std::vector<UniqueFd> folders_;     // below the root, innermost last
    std::vector<std::string> pending_;  // components still to go, next one last
};

}  // namespace

UniqueFd walk_in_root(int root_fd, std::string_view path, int flags) {
    return Walk(root_fd, path).open(flags);
}

UniqueFd open_in_root(int root_fd, const std::string& path, int flags) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    for (int attempt = 0; attempt < kMaxTries; ++attempt) {
        const long fd = ::syscall(SYS_openat2, root_fd, path.c_str(), &how, sizeof how);
        if (fd >= 0) return UniqueFd{static_cast<int>(fd)};
        if (errno == EAGAIN || errno == EINTR) continue;
        if (errno == ENOSYS || errno == EPERM) break;
        return UniqueFd{};
    }
    return walk_in_root(root_fd, path, flags);
}

}  // namespace gantry::sys
