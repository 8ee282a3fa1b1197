#include "sys/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/text.hpp"

namespace gantry::sys {
namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // Linux 6.3
#endif

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

// Temporary file that unlinks itself unless it was renamed into place.
struct PendingFile {
    int folder;
    std::string name;
    bool pending = true;
    ~PendingFile() {
        if (pending) ::unlinkat(folder, name.c_str(), 0);
    }
};

std::optional<std::string> real_path(const std::string& path) {
    char real[PATH_MAX];
    if (::realpath(path.c_str(), real) == nullptr) return std::nullopt;
    return real;
}

bool remove_below(int folder, dev_t device) {
    DIR* stream = ::fdopendir(::dup(folder));
    if (!stream) return false;
    bool all = true;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (::unlinkat(folder, entry->d_name, 0) == 0) continue;
        if (errno != EISDIR && errno != EPERM) {
            all = false;
            continue;
        }
        const UniqueFd child(::openat(folder, entry->d_name,
                                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        const bool same = child && ::fstat(child.get(), &status) == 0 && status.st_dev == device;
        if (!same || !remove_below(child.get(), device) ||
            ::unlinkat(folder, entry->d_name, AT_REMOVEDIR) != 0)
            all = false;
    }
    ::closedir(stream);
    return all;
}

}  // namespace

std::optional<FileContent> read_regular_file(const std::string& path, std::size_t max_bytes,
                                             Links links) {
    const int follow = links == Links::Refuse ? O_NOFOLLOW : 0;
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | follow));
    if (!fd) return std::nullopt;
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    FileContent content;
    content.identity = {static_cast<mode_t>(status.st_mode & 07777), status.st_uid, status.st_gid};
    // Before anything is reserved: a sparse file can claim any size.
    if (status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) > max_bytes) {
        errno = EFBIG;
        return std::nullopt;
    }
    content.text.reserve(static_cast<std::size_t>(status.st_size) + 1);
    for (;;) {
        const std::size_t have = content.text.size();
        if (have > max_bytes) {
            errno = EFBIG;
            return std::nullopt;
        }
        // The one byte to spare meets the end of a file that has not grown, so
        // the text is neither copied nor, by resize(), cleared first.
        const std::size_t spare = content.text.capacity() - have;
        ssize_t n = 0;
        content.text.resize_and_overwrite(
            have + (spare > 0 ? spare : 4096), [&](char* data, std::size_t size) {
                n = ::read(fd.get(), data + have, size - have);
                return have + static_cast<std::size_t>(n > 0 ? n : 0);
            });
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0) break;
    }
    char real[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    const ssize_t length = ::readlink(link.c_str(), real, sizeof real - 1);
    // Without /proc the path as given is the best there is.
    content.real_path = length > 0 && real[0] == '/'
                            ? std::string(real, static_cast<std::size_t>(length))
                            : absolute_path(path);
    return content;
}

Status replace_file(const std::string& path, std::string_view text, const FileIdentity& identity) {
    const std::size_t slash = path.rfind('/');
    const std::string folder_path = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    const auto failed = [&](const char* step) {
        return fail(Code::SpecWrite, "cannot " + std::string(step) + " " + printable(path, 200) +
                                         ": " + errno_text(errno),
                    "Free space or make the folder writable, then start the container again");
    };
    const UniqueFd folder(::open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return failed("open the folder of");

    PendingFile pending{folder.get(), "." + name + ".gantry-" + std::to_string(::getpid())};
    ::unlinkat(folder.get(), pending.name.c_str(), 0);  // of a killed process with our pid
    const UniqueFd file(::openat(folder.get(), pending.name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
        pending.pending = false;
        return failed("create a new file beside");
    }
    if (!write_all(file.get(), text)) return failed("write");
    // Owner before mode: chown clears set-id bits. A rootless caller cannot
    // give the file away and does not need to: it owns the old one.
    struct stat made {};
    if (::fstat(file.get(), &made) != 0) return failed("examine");
    if ((made.st_uid != identity.uid || made.st_gid != identity.gid) &&
        ::fchown(file.get(), identity.uid, identity.gid) != 0)
        return failed("set the owner of");
    if (::fchmod(file.get(), identity.mode) != 0) return failed("set the mode of");
    if (::fsync(file.get()) != 0) return failed("flush");
    if (::renameat(folder.get(), pending.name.c_str(), folder.get(), name.c_str()) != 0)
        return failed("put in place");
    pending.pending = false;
    // The data is safe by now; a folder that cannot be flushed (some network
    // file systems) only weakens what a power cut leaves.
    (void)::fsync(folder.get());
    return {};
}

Result<UniqueFd> sealed_memory_file(const char* name, std::string_view content) {
    const auto failed = [&](const char* step) {
        return fail(Code::ProbeMissing, std::string("cannot ") + step +
                                            " a memory file for the GPU check: " + errno_text(errno),
                    "Check vm.memfd_noexec and the memory limit of the engine");
    };
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    // Since 6.3 a host may forbid executable memory files unless asked for by
    // name; older kernels refuse the flag.
    UniqueFd fd(::memfd_create(name, kFlags | MFD_EXEC));
    if (!fd && errno == EINVAL) fd.reset(::memfd_create(name, kFlags));
    if (!fd) return failed("create");
    if (!write_all(fd.get(), content)) return failed("fill");
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        return failed("seal");
    return fd;
}

Status make_folders(const std::string& path) {
    for (std::size_t end = 0; end != std::string::npos;) {
        end = path.find('/', end + 1);
        const std::string prefix = path.substr(0, end);
        if (::mkdir(prefix.c_str(), 0700) != 0) {
            // Whatever the cause, a folder that is there already is no obstacle;
            // a file in its place is.
            struct stat status {};
            const int cause = errno == EEXIST ? ENOTDIR : errno;
            if (::stat(prefix.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue;
            return fail(Code::StateUnusable,
                        "cannot create " + printable(prefix, 200) + ": " + errno_text(cause),
                        "Gantry keeps its state there: make room, or make it writable");
        }
    }
    return {};
}

Status copy_folder_mode(const std::string& from, const std::string& to) {
    struct stat status {};
    if (::stat(from.c_str(), &status) == 0 &&
        ::chown(to.c_str(), status.st_uid, status.st_gid) == 0 &&
        ::chmod(to.c_str(), status.st_mode & 07777) == 0)
        return {};
    return fail(Code::StateUnusable,
                "cannot give " + to + " the mode of " + printable(from, 200) + ": " +
                    errno_text(errno),
                "Run as root");
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

bool rename_folder(const std::string& from, const std::string& to) {
    return ::rename(from.c_str(), to.c_str()) == 0;
}

Status check_private_folder(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid() && (status.st_mode & 022) == 0)
        return {};
    return fail(Code::StateUnusable,
                path + " is not a folder that this user alone can write to",
                "Remove it; Gantry makes it anew");
}

bool remove_tree(const std::string& path) {
    const UniqueFd folder(
        ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return errno == ENOENT;
    struct stat status {};
    if (::fstat(folder.get(), &status) != 0) return false;
    const bool emptied = remove_below(folder.get(), status.st_dev);
    return ::rmdir(path.c_str()) == 0 && emptied;
}

bool is_executable_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

std::string current_folder() {
    char buffer[PATH_MAX];
    return ::getcwd(buffer, sizeof buffer) ? buffer : "/";
}

std::string absolute_path(const std::string& path) {
    const std::string whole = path.starts_with('/') ? path : current_folder() + "/" + path;
    std::string clean;
    for (const std::string_view part : split(whole, '/')) {
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            clean.append("/").append(part);
        } else if (auto parent = real_path(clean + "/..")) {
            clean = *parent == "/" ? "" : std::move(*parent);
        } else {
            clean.resize(std::min(clean.rfind('/'), clean.size()));
        }
    }
    return clean.empty() ? "/" : clean;
}

std::string resolved_path(const std::string& path) {
    const std::string whole = absolute_path(path);
    std::size_t end = whole.size();
    for (;;) {
        if (const auto real = real_path(whole.substr(0, end)))
            return *real == "/" && end < whole.size() ? whole.substr(end)
                                                      : *real + whole.substr(end);
        end = whole.rfind('/', end - 1);
        if (end == 0 || end == std::string::npos) return whole;
    }
}

bool same_file(const std::string& one, const std::string& other) {
    struct stat a {}, b {};
    return one == other || (::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 &&
                            a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

}  // namespace gantry::sys
