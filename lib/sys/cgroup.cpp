#include "sys/cgroup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "sys/file.hpp"

namespace gantry::sys {
namespace {

constexpr const char* kMounts = "/sys/fs/cgroup";
// Where the unified hierarchy is: alone, or beside version 1.
constexpr const char* kUnified[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
constexpr int kDepth = 2;

// Leaf folders first; a cgroup that is not empty refuses, and that is right.
bool remove_folder(const std::string& folder, int depth) {
    if (DIR* stream = depth > 0 ? ::opendir(folder.c_str()) : nullptr) {
        while (const dirent* entry = ::readdir(stream))
            if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
                remove_folder(folder + "/" + entry->d_name, depth - 1);
        ::closedir(stream);
    }
    return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

void kill_cgroup(const std::string& path) {
    for (const char* mount : kUnified) {
        const UniqueFd fd(::open((mount + path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
        if (fd && ::write(fd.get(), "1", 1) == 1) return;
    }
}

bool remove_cgroup(const std::string& path) {
    bool gone = remove_folder(kMounts + path, kDepth);
    DIR* stream = ::opendir(kMounts);
    if (!stream) return gone;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string folder = std::string(kMounts) + "/" + entry->d_name + path;
        struct stat status {};
        if (entry->d_name[0] != '.' && ::stat(folder.c_str(), &status) == 0)
            gone = remove_folder(folder, kDepth) && gone;
    }
    ::closedir(stream);
    return gone;
}

// cgroup-v2.rst: cpu.stat and its usage_usec are there whether the cpu controller
// is enabled or not.
std::optional<std::chrono::nanoseconds> cgroup_processor_time(const std::string& path) {
    constexpr std::string_view kWord = "usage_usec ";
    for (const char* mount : kUnified) {
        const auto file = read_regular_file(mount + path + "/cpu.stat", 4096);
        if (!file) continue;
        for (const std::string_view line : split(file->text, '\n'))
            if (line.starts_with(kWord))
                if (const auto used = parse_decimal(line.substr(kWord.size())))
                    return std::chrono::microseconds{*used};
    }
    return std::nullopt;
}

}  // namespace gantry::sys
