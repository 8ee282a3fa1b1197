// A container's root file system, as a descriptor. Every path below it is
// resolved inside that root (sys/rooted_open.hpp), so that no link in an image
// can lead out of it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace gantry::sys {

class Rootfs {
public:
    // Error: SpecUnreadable.
    [[nodiscard]] static Result<Rootfs> open(const std::string& path);

    // O_PATH descriptor of what `path` leads to; empty where it leads nowhere.
    [[nodiscard]] UniqueFd resolve(std::string_view path) const;
    // The same, opened for reading; regular files only.
    [[nodiscard]] UniqueFd open_file(std::string_view path) const;
    [[nodiscard]] bool is_folder(std::string_view path) const;
    // Sorted base names in a folder, at most `limit` of them.
    [[nodiscard]] std::vector<std::string> list(std::string_view folder, std::size_t limit) const;

    // Of these absolute paths and their parents, those that do not exist,
    // parents first. What a low-level runtime is about to create as mount
    // points and nodes.
    [[nodiscard]] std::vector<std::string> missing(const std::vector<std::string>& paths) const;
    // Removes from that list what is there now and holds nothing: empty
    // folders, empty files, device nodes, links. Anything else stays.
    void remove_if_empty(const std::vector<std::string>& missing) const;

private:
    explicit Rootfs(UniqueFd fd) : fd_(std::move(fd)) {}
    // What stands at a path; the paths of one list share most of their folders,
    // which need one look each.
    struct Look {
        enum Kind { There, Link, Absent, Unknown } kind;
        std::string target;  // of a link
    };
    using Looks = std::unordered_map<std::string, Look>;
    [[nodiscard]] Look look_at(const std::string& path) const;
    void add_missing(const std::string& path, Looks& looks,
                     std::vector<std::string>& absent) const;
    UniqueFd fd_;
};

}  // namespace gantry::sys
