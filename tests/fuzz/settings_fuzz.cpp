// The input is a configuration file. Whatever it is, it is read, and a text that
// is TOML is never called something else, comment lines or not.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <toml++/toml.h>

#include "app/settings.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int file = [] {
        const int fd = ::memfd_create("config.toml", MFD_CLOEXEC);
        require(fd >= 0 && ::fchmod(fd, 0644) == 0);
        return fd;
    }();
    require(::ftruncate(file, 0) == 0);
    require(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
    const auto loaded = gantry::app::load_settings("/proc/self/fd/" + std::to_string(file));
    if (!loaded.error) return 0;
    require(!loaded.error->message.empty() && !loaded.error->remedy.empty());
    require(loaded.error->code == gantry::Code::ConfigInvalid);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (toml::parse(text)) require(loaded.error->message.find("not TOML") == std::string::npos);
    return 0;
}
