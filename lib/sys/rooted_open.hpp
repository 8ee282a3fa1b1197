// open(2) below a folder that stands for "/": neither "..", nor an absolute
// link, nor a link in the middle of a path leads out of it.
#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace gantry::sys {

// `path` is absolute as seen inside the root; `flags` are those of open(2),
// O_CLOEXEC is added. Empty with errno set on failure.
[[nodiscard]] UniqueFd open_in_root(int root_fd, const std::string& path, int flags);

// The same without openat2, which kernels before 5.6 do not have and which
// seccomp filters of older container engines answer with EPERM.
[[nodiscard]] UniqueFd walk_in_root(int root_fd, std::string_view path, int flags);

}  // namespace gantry::sys
