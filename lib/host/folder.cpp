#include "host/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

namespace gantry::host {

std::optional<Folder> Folder::open(UniqueFd fd) {
    if (!fd) return std::nullopt;
    DIR* stream = ::fdopendir(fd.get());
    if (stream == nullptr) return std::nullopt;
    fd.release();  // the stream owns it now
    return Folder(stream);
}

std::optional<FolderEntry> Folder::next() {
    while (const dirent* entry = ::readdir(stream_.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") return FolderEntry{name, entry->d_type};
    }
    return std::nullopt;
}

unsigned char Folder::type_of(const FolderEntry& entry) const {
    if (entry.type != DT_UNKNOWN) return entry.type;
    struct stat status;
    const std::string name(entry.name);
    if (::fstatat(fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return static_cast<unsigned char>(IFTODT(status.st_mode));
}

std::optional<std::string> Folder::link_target(const char* name) const {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(fd(), name, target, sizeof target);
    if (size < 0 || size == sizeof target) return std::nullopt;
    return std::string(target, static_cast<std::size_t>(size));
}

}  // namespace gantry::host
