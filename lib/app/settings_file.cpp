#include "app/settings_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "app/settings.hpp"
#include "app/state_folder.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// What the host's root is in a user namespace without it (user_namespaces(7)).
constexpr std::uint32_t kOverflowId = 65534;

// Whoever can write the file decides which program runs as root. For a rootless
// engine nothing runs as root, and the host's root shows as nobody.
bool is_unsafe(const sys::FileIdentity& file) {
    const bool host_root = file.uid == 0 || (file.uid == kOverflowId && in_user_namespace());
    const bool foreign = !host_root && file.uid != ::geteuid();
    return foreign || (file.mode & 022) != 0;
}

}  // namespace

Result<std::optional<std::string>> read_settings_file(const std::string& path) {
    if (!path.starts_with('/'))
        return fail(Code::ConfigInvalid,
                    "GANTRY_CONFIG=\"" + printable(path) + "\" is no absolute path",
                    "Write the whole path, beginning with /");
    auto file = sys::read_regular_file(path, kMaxConfigBytes);
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>{};
        return fail(Code::ConfigInvalid, printable(path, 200) + ": " + errno_text(errno),
                    "Make it a regular file of at most 1 MiB that root can read");
    }
    // Nothing of an unsafe file is used: its paths name programs to run.
    if (is_unsafe(file->identity)) {
        const std::string name = printable(path, 150);
        return fail(Code::ConfigUnsafe, name + " can be written by others than root",
                    "Run: chown root:root " + name + " && chmod 644 " + name);
    }
    return std::optional(std::move(file->text));
}

std::string config_path(const std::vector<std::string>& environment) {
    constexpr std::string_view kName = "GANTRY_CONFIG=";
    for (const std::string& entry : environment)
        if (entry.starts_with(kName) && entry.size() > kName.size())
            return entry.substr(kName.size());
    return kDefaultConfigPath;
}

}  // namespace gantry::app
