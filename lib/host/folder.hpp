// One pass over a folder's entries. Names are views into readdir's buffer, so a
// folder of thousands of files costs no allocation for what is not wanted.
#pragma once

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace gantry::host {

struct FolderEntry {
    std::string_view name;     // valid until the next call of next()
    unsigned char type = 0;    // DT_REG, DT_LNK, … as readdir gives it, DT_UNKNOWN possible
};

class Folder {
public:
    // Takes the descriptor, which must be readable; nullopt if it is no folder.
    [[nodiscard]] static std::optional<Folder> open(UniqueFd fd);

    // Without "." and "..". nullopt at the end, or where reading fails.
    [[nodiscard]] std::optional<FolderEntry> next();
    // DT_* of an entry, asked of the file system where readdir did not know.
    [[nodiscard]] unsigned char type_of(const FolderEntry& entry) const;
    // Text of a link in this folder; nullopt where it is none.
    [[nodiscard]] std::optional<std::string> link_target(const char* name) const;
    [[nodiscard]] int fd() const { return ::dirfd(stream_.get()); }

private:
    struct Close {
        void operator()(DIR* stream) const noexcept { ::closedir(stream); }
    };
    explicit Folder(DIR* stream) : stream_(stream) {}
    std::unique_ptr<DIR, Close> stream_;
};

}  // namespace gantry::host
