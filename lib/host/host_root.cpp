#include "host/host_root.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/text.hpp"
#include "host/folder.hpp"
#include "host/listed_nodes.hpp"
#include "sys/rooted_open.hpp"

namespace gantry::host {
namespace {

constexpr const char* kListedNodes = "/nodes.json";

DeviceNode device_node(const std::string& path, const struct stat& status) {
    return {path,
            S_ISBLK(status.st_mode) ? 'b' : 'c',
            ::major(status.st_rdev),
            ::minor(status.st_rdev),
            status.st_mode & 07777U,
            status.st_uid,
            status.st_gid};
}

bool is_device(const struct stat& status) {
    return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
}

bool by_path(const DeviceNode& node, const std::string& path) { return node.path < path; }

// "/host/" and "/host/./" are "/host". nullopt for a relative path and for one
// with "..", which with links can mean anything.
std::optional<std::string> clean_root(std::string_view path) {
    if (!path.starts_with('/')) return std::nullopt;
    std::string clean;
    for (const std::string_view part : split(path, '/')) {
        if (part == "..") return std::nullopt;
        if (!part.empty() && part != ".") clean.append("/").append(part);
    }
    return clean.empty() ? "/" : clean;
}

std::optional<std::string> fd_path(int fd) {
    char target[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
    if (size <= 0 || size == sizeof target || target[0] != '/') return std::nullopt;
    return std::string(target, static_cast<std::size_t>(size));
}

}  // namespace

Result<HostRoot> HostRoot::open(std::string path) {
    const std::string given = "host root " + printable(path, 200);
    auto clean = clean_root(path);
    if (!clean)
        return fail(Code::HostUnreadable, given + " is no absolute path without ..",
                    "Give the folder of a host, or / for this one");
    UniqueFd fd{::open(clean->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!fd)
        return fail(Code::HostUnreadable, given + " " + errno_text(errno),
                    "Give the folder of a host, or / for this one");
    HostRoot root(std::move(*clean), std::move(fd));
    if (!root.simulated()) return root;

    root.real_root_ = fd_path(root.fd_.get()).value_or(std::string{});
    // Under another name the real host would count as a simulated one, whose
    // dead device nodes are nothing to complain of.
    if (root.real_root_ == "/")
        return fail(Code::HostUnreadable, given + " is this host's own / by another name",
                    "Give / as the host root");
    int error_number = 0;
    const auto text = root.read(kListedNodes, &error_number);
    const std::string file = root.path_ + kListedNodes;
    if (text) {
        GANTRY_TRY(root.listed_nodes_, parse_listed_nodes(*text, file));
    } else if (error_number != ENOENT) {
        return fail(Code::HostUnreadable, printable(file, 200) + " " + errno_text(error_number),
                    "Make the list of device nodes readable or remove it");
    }
    return root;
}

UniqueFd HostRoot::open_path(const std::string& path, int flags) const {
    // The real root needs no confinement, and openat2 would answer EAGAIN under
    // renames for nothing.
    if (!simulated()) return UniqueFd{::open(path.c_str(), flags | O_CLOEXEC)};
    return sys::open_in_root(fd_.get(), path, flags);
}

std::optional<std::string> HostRoot::read(const std::string& path, int* error_number,
                                          std::size_t max_bytes) const {
    const auto failed = [&](int number) {
        if (error_number != nullptr) *error_number = number;
        return std::nullopt;
    };
    // O_NONBLOCK: a FIFO in a fixture must not hang the reader.
    const UniqueFd fd = open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!fd) return failed(errno);
    std::string text;
    char buffer[4096];  // a sysfs file has at most one page
    for (;;) {
        const ssize_t size = ::read(fd.get(), buffer, sizeof buffer);
        if (size == 0) return text;
        if (size < 0) {
            if (errno == EINTR) continue;
            return failed(errno);
        }
        text.append(buffer, static_cast<std::size_t>(size));
        if (text.size() > max_bytes) return failed(EFBIG);
    }
}

std::vector<std::string> HostRoot::list(const std::string& folder) const {
    std::vector<std::string> names;
    auto opened = Folder::open(open_path(folder, O_RDONLY | O_DIRECTORY));
    if (!opened) return names;
    while (const auto entry = opened->next()) names.emplace_back(entry->name);
    std::sort(names.begin(), names.end());
    return names;
}

bool HostRoot::exists(const std::string& path) const {
    return static_cast<bool>(open_path(path, O_PATH));
}

std::optional<std::string> HostRoot::link_target(const std::string& path) const {
    char target[PATH_MAX];
    ssize_t size = -1;
    if (!simulated()) {
        size = ::readlink(path.c_str(), target, sizeof target);
    } else if (const UniqueFd fd = open_path(path, O_PATH | O_NOFOLLOW)) {
        size = ::readlinkat(fd.get(), "", target, sizeof target);
    }
    if (size < 0 || size == sizeof target) return std::nullopt;
    return std::string(target, static_cast<std::size_t>(size));
}

std::optional<DeviceNode> HostRoot::node(const std::string& path) const {
    const auto listed =
        std::lower_bound(listed_nodes_.begin(), listed_nodes_.end(), path, by_path);
    if (listed != listed_nodes_.end() && listed->path == path) return *listed;
    struct stat status;
    if (!simulated()) {
        if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    } else {
        const UniqueFd fd = open_path(path, O_PATH);
        if (!fd || ::fstat(fd.get(), &status) != 0) return std::nullopt;
    }
    if (!is_device(status)) return std::nullopt;
    return device_node(path, status);
}

std::vector<DeviceNode> HostRoot::nodes_in(const std::string& folder,
                                           std::string_view prefix) const {
    std::vector<DeviceNode> nodes;
    const std::string begin = folder + "/";
    for (const DeviceNode& listed : listed_nodes_) {
        if (!listed.path.starts_with(begin)) continue;
        const std::string_view name = std::string_view(listed.path).substr(begin.size());
        if (name.starts_with(prefix) && name.find('/') == name.npos) nodes.push_back(listed);
    }
    const std::size_t listed_count = nodes.size();  // sorted, as listed_nodes_ is
    if (auto opened = Folder::open(open_path(folder, O_RDONLY | O_DIRECTORY))) {
        while (const auto entry = opened->next()) {
            if (!entry->name.starts_with(prefix)) continue;
            const unsigned char type = opened->type_of(*entry);
            if (type != DT_CHR && type != DT_BLK) continue;
            const std::string path = begin + std::string(entry->name);
            const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(listed_count);
            const auto listed = std::lower_bound(nodes.begin(), end, path, by_path);
            if (listed != end && listed->path == path) continue;
            struct stat status;
            if (::fstatat(opened->fd(), path.c_str() + begin.size(), &status,
                          AT_SYMLINK_NOFOLLOW) == 0 &&
                is_device(status))
                nodes.push_back(device_node(path, status));
        }
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const DeviceNode& a, const DeviceNode& b) { return a.path < b.path; });
    return nodes;
}

std::optional<std::string> HostRoot::regular_file(const std::string& path) const {
    const UniqueFd fd = open_path(path, O_PATH);
    struct stat status;
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return real_path(fd.get());
}

std::optional<std::string> HostRoot::real_path(int fd) const {
    auto path = fd_path(fd);
    if (!path || !simulated()) return path;
    // In the words of the caller: its own root path in front, even where a link
    // leads to the root.
    if (real_root_.empty() || !path->starts_with(real_root_) ||
        (path->size() > real_root_.size() && (*path)[real_root_.size()] != '/'))
        return std::nullopt;
    return path_ + path->substr(real_root_.size());
}

}  // namespace gantry::host
