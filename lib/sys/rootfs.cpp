#include "sys/rootfs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/text.hpp"
#include "sys/rooted_open.hpp"

namespace gantry::sys {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own limit

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
    return open_in_root(fd_.get(), std::string(path), O_PATH);
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
    Looks looks;
    for (const std::string& path : paths) add_missing(path, looks, absent);
    std::sort(absent.begin(), absent.end());
    absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
    return absent;
}

Rootfs::Look Rootfs::look_at(const std::string& path) const {
    const UniqueFd entry = open_in_root(fd_.get(), path, O_PATH | O_NOFOLLOW);
    if (!entry) return {errno == ENOENT ? Look::Absent : Look::Unknown, {}};
    char target[PATH_MAX];
    const ssize_t n = ::readlinkat(entry.get(), "", target, sizeof target);
    if (n <= 0) return {Look::There, {}};
    return {Look::Link, std::string(target, static_cast<std::size_t>(n))};
}

// Goes along `path` as a runtime does that makes a mount point: links are
// followed, a dangling one to the place where its target will be made.
void Rootfs::add_missing(const std::string& path, Looks& looks,
                         std::vector<std::string>& absent) const {
    std::vector<std::string> pending;
    const auto push = [&pending](std::string_view text) {
        const auto parts = split(text, '/');
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            if (!part->empty() && *part != ".") pending.emplace_back(*part);
    };
    push(path);
    std::string here;  // free of links; empty at the root
    for (int links = 0; !pending.empty();) {
        const std::string part = std::move(pending.back());
        pending.pop_back();
        if (part == "..") {
            if (!here.empty()) here.erase(here.rfind('/'));
            continue;
        }
        std::string next = here + "/" + part;
        auto found = looks.find(next);
        if (found == looks.end()) found = looks.emplace(next, look_at(next)).first;
        const Look& look = found->second;
        // Whatever cannot be looked at is not known to be absent, and only what
        // was absent may ever be removed.
        if (look.kind == Look::Unknown) return;
        if (look.kind == Look::Absent) absent.push_back(next);
        if (look.kind != Look::Link) {
            here = std::move(next);
            continue;
        }
        if (++links > kMaxLinks) return;
        if (look.target.starts_with('/')) here.clear();
        push(look.target);
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
