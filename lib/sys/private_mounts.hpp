// Mounts that nobody else sees and that go with the process.
#pragma once

#include <string>

#include "base/error.hpp"

namespace gantry::sys {

// Gives the calling process a mount namespace of its own, from which nothing
// propagates back. Only while the process has one thread.
[[nodiscard]] Status enter_private_mounts();

[[nodiscard]] Status mount_tmpfs(const std::string& folder);

// `target` shows `lower`; what is written goes to `upper`. `work` is overlayfs's
// own scratch folder on the same file system as `upper`.
[[nodiscard]] Status mount_overlay(const std::string& lower, const std::string& upper,
                                   const std::string& work, const std::string& target);

// Takes a mount of ours away again, with everything mounted below it.
void unmount(const std::string& target);

}  // namespace gantry::sys
