#include "sys/trusted_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace gantry::sys {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own limit

void push_parts(std::vector<std::string>& pending, std::string_view path) {
    const auto parts = split(path, '/');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        if (!part->empty() && *part != ".") pending.emplace_back(*part);
}

}  // namespace

UniqueFd open_trusted_folder(const std::string& path) {
    std::vector<std::string> pending;  // the next part last
    push_parts(pending, path);
    UniqueFd here(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (int links = 0; here && !pending.empty();) {
        const std::string part = std::move(pending.back());
        pending.pop_back();
        UniqueFd next(::openat(here.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!next || ::fstat(next.get(), &status) != 0) return {};
        if (!S_ISLNK(status.st_mode)) {
            here = std::move(next);
            continue;
        }
        char target[PATH_MAX];
        const ssize_t n = ::readlinkat(next.get(), "", target, sizeof target);
        const bool trusted = status.st_uid == 0 || status.st_uid == ::geteuid();
        if (n <= 0 || !trusted || ++links > kMaxLinks) {
            errno = ELOOP;
            return {};
        }
        if (target[0] == '/') here.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        push_parts(pending, {target, static_cast<std::size_t>(n)});
    }
    if (!here) return {};
    return UniqueFd(::openat(here.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace gantry::sys
