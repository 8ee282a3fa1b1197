// Whole files: read with a bound, replaced atomically, or held in a sealed
// memory file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace gantry::sys {

struct FileIdentity {
    mode_t mode = 0644;  // permission bits
    uid_t uid = 0;
    gid_t gid = 0;
};

struct FileContent {
    std::string text;
    FileIdentity identity;
    std::string real_path;  // absolute, links resolved
};

// Reads a regular file of at most max_bytes. nullopt and errno set where it
// cannot be opened or read; EFBIG where it is larger; EINVAL where it is no
// regular file (a FIFO in its place must not block an engine); ELOOP where its
// last component is a link and those are refused.
enum class Links { Follow, Refuse };
[[nodiscard]] std::optional<FileContent> read_regular_file(const std::string& path,
                                                           std::size_t max_bytes,
                                                           Links links = Links::Follow);

// Puts `text` at `path` so that at any instant either the old or the new file
// is there whole: temporary file in the same folder, fsync, rename, fsync of
// the folder. Mode and owner are those of `identity`. Nothing is left behind
// on failure. Error: SpecWrite naming the step and the cause.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view text,
                                  const FileIdentity& identity);

// A memory file that nobody can change any more: the container sees it as the
// program it runs, and must not be able to write to it through /proc.
[[nodiscard]] Result<UniqueFd> sealed_memory_file(const char* name, std::string_view content);

// mkdir -p, mode 0700 for new folders. Error: StateUnusable.
[[nodiscard]] Status make_folders(const std::string& path);

// Gives one folder the mode and owner of another. Error: StateUnusable.
[[nodiscard]] Status copy_folder_mode(const std::string& from, const std::string& to);

// rename(2); false and errno set where it fails.
[[nodiscard]] bool rename_folder(const std::string& from, const std::string& to);

// Error StateUnusable where the folder is a link, not this user's, or can be
// written by others: what lies in it names programs to run.
[[nodiscard]] Status check_private_folder(const std::string& path);

// One file of our own; where it cannot be removed it stays.
void remove_file(const std::string& path);

// Removes a folder of our own with everything below it. Never follows links
// and never leaves the file system it starts on. Returns false where something
// remained.
bool remove_tree(const std::string& path);

[[nodiscard]] bool is_executable_file(const std::string& path);
[[nodiscard]] std::string current_folder();
// Absolute, without ".", ".." and double slashes. ".." leads where the kernel goes:
// out of the folder that a link before it leads to. Where nothing is, by text.
[[nodiscard]] std::string absolute_path(const std::string& path);
// The same without links, as far as it exists: one spelling for each folder.
[[nodiscard]] std::string resolved_path(const std::string& path);
// Two paths of the same file or folder; false where one is missing.
[[nodiscard]] bool same_file(const std::string& one, const std::string& other);

}  // namespace gantry::sys
