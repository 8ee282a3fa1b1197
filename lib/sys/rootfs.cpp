#include "sys/rootfs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace gantry::sys {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own limit

// Component walk for kernels before 5.6 and seccomp profiles without openat2.
// Keeps a stack of descriptors, so ".." goes back to where we came from and
// cannot climb past the root, whatever is renamed meanwhile.
UniqueFd walk(int root, std::string path) {
    std::vector<UniqueFd> stack;
    int links = 0;
    std::vector<std::string> pending;
    const auto push_parts = [&](std::string_view text) {
        const auto parts = split(text, '/');
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            if (!part->empty() && *part != ".") pending.emplace_back(*part);
    };
    push_parts(path);
    while (!pending.empty()) {
        const std::string part = std::move(pending.back());
        pending.pop_back();
        if (part == "..") {
            if (!stack.empty()) stack.pop_back();
            continue;
        }
        const int here = stack.empty() ? root : stack.back().get();
        UniqueFd next(::openat(here, part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!next || ::fstat(next.get(), &status) != 0) return {};
        if (S_ISLNK(status.st_mode)) {
            char target[PATH_MAX];
            const ssize_t n = ::readlinkat(next.get(), "", target, sizeof target);
            if (n <= 0 || ++links > kMaxLinks) {
                errno = ELOOP;
                return {};
            }
            const std::string_view text(target, static_cast<std::size_t>(n));
            if (text.front() == '/') stack.clear();
            push_parts(text);
            continue;
        }
        stack.push_back(std::move(next));
    }
    if (stack.empty()) return UniqueFd(::fcntl(root, F_DUPFD_CLOEXEC, 3));
    return std::move(stack.back());
}

std::string relative(std::string_view path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    return path.empty() ? "." : std::string(path);
}

// Parent and last component of an absolute path.
std::pair<std::string, std::string> split_last(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

Result<Rootfs> Rootfs::open(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return fail(Code::SpecUnreadable,
                    "the container's root folder " + printable(path, 200) + ": " + errno_text(errno),
                    "Check root.path in config.json");
    return Rootfs(std::move(fd));
}

UniqueFd Rootfs::resolve(std::string_view path) const {
    const std::string below = relative(path);
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const long fd = ::syscall(SYS_openat2, fd_.get(), below.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno == ENOSYS || errno == EPERM) return walk(fd_.get(), below);
    return {};
}

UniqueFd Rootfs::open_file(std::string_view path) const {
    const UniqueFd handle = resolve(path);
    struct stat status {};
    if (!handle || ::fstat(handle.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    // Reopening the descriptor cannot meet another file than the one examined.
    const std::string link = "/proc/self/fd/" + std::to_string(handle.get());
    return UniqueFd(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

bool Rootfs::is_folder(std::string_view path) const {
    const UniqueFd handle = resolve(path);
    struct stat status {};
    return handle && ::fstat(handle.get(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string> Rootfs::list(std::string_view folder, std::size_t limit) const {
    std::vector<std::string> names;
    const UniqueFd handle = resolve(folder);
    if (!handle) return names;
    const int fd = ::openat(handle.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return names;
    DIR* stream = ::fdopendir(fd);
    if (!stream) {
        ::close(fd);
        return names;
    }
    while (names.size() < limit) {
        const dirent* entry = ::readdir(stream);
        if (!entry) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> Rootfs::missing(const std::vector<std::string>& paths) const {
    std::vector<std::string> absent;
    for (const std::string& path : paths) add_missing(path, absent, 0);
    std::sort(absent.begin(), absent.end());
    absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
    return absent;
}

void Rootfs::add_missing(const std::string& path, std::vector<std::string>& absent,
                         int links) const {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string prefix = path.substr(0, end);
        if (prefix.size() > 1 && !resolve(prefix)) {
            // A dangling link is the image's own and stays; what a runtime
            // creates then is the link's target.
            const auto [parent, name] = split_last(prefix);
            const UniqueFd folder = resolve(parent);
            char target[PATH_MAX];
            const ssize_t n =
                folder ? ::readlinkat(folder.get(), name.c_str(), target, sizeof target) : -1;
            if (n > 0) {
                if (links >= kMaxLinks) return;
                std::string next(target, static_cast<std::size_t>(n));
                if (!next.starts_with('/')) next = parent + "/" + next;
                if (end != std::string::npos) next += path.substr(end);
                return add_missing(absolute_path(next), absent, links + 1);
            }
            absent.push_back(prefix);
        }
        if (end == std::string::npos) return;
    }
}

void Rootfs::remove_if_empty(const std::vector<std::string>& missing) const {
    // Children sort after their parents, so backwards is deepest first.
    for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
        const auto [parent, name] = split_last(*path);
        const UniqueFd folder = resolve(parent);
        struct stat status {};
        if (!folder || ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(status.st_mode)) {
            ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);  // refuses one that is not empty
        } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
            ::unlinkat(folder.get(), name.c_str(), 0);
        }
    }
}

}  // namespace gantry::sys
