// A folder by its path, where the path may lead through other users' folders.
#pragma once

#include <string>

#include "base/unique_fd.hpp"

namespace gantry::sys {

// Opens the folder going from one part of the path to the next, and follows a
// link only if it is root's or this user's own (as the kernel's
// fs.protected_symlinks does, but in every folder): /var/run leads to /run, but
// nobody's link in /tmp leads root anywhere. `path` is absolute and has no "..".
// Empty and errno set where it cannot be opened; ELOOP for such a link.
[[nodiscard]] UniqueFd open_trusted_folder(const std::string& path);

}  // namespace gantry::sys
