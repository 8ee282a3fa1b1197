#include "sys/private_mounts.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <cerrno>

namespace gantry::sys {
namespace {

std::unexpected<Error> failed(const std::string& what) {
    return fail(Code::StateUnusable, "cannot " + what + ": " + errno_text(errno),
                "Run as root with CAP_SYS_ADMIN");
}

// overlayfs takes ':' and ',' in its options as separators.
std::string escape(const std::string& path) {
    std::string escaped;
    for (const char c : path) {
        if (c == ':' || c == ',' || c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

}  // namespace

Status enter_private_mounts() {
    if (::unshare(CLONE_NEWNS) != 0) return failed("make a mount namespace");
    // Slave, not private: host unmounts still reach us, ours reach nobody.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
        return failed("cut off mount propagation");
    return {};
}

Status mount_tmpfs(const std::string& folder) {
    if (::mount("gantry", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711") != 0)
        return failed("mount a memory file system at " + folder);
    return {};
}

Status mount_overlay(const std::string& lower, const std::string& upper, const std::string& work,
                     const std::string& target) {
    const std::string options = "lowerdir=" + escape(lower) + ",upperdir=" + escape(upper) +
                                ",workdir=" + escape(work);
    if (::mount("gantry", target.c_str(), "overlay", 0, options.c_str()) != 0)
        return failed("lay an overlay over " + lower);
    return {};
}

void unmount(const std::string& target) { ::umount2(target.c_str(), MNT_DETACH); }

}  // namespace gantry::sys
