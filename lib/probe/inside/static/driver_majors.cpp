#include "probe/inside/static/driver_majors.hpp"

#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace gantry::probe::inside {
namespace {

struct DriverName {
    NodeRole role;
    const char* name;
};

// Names that the drivers register. NVIDIA's is nvidia-frontend before 550, then
// nvidia and nvidiactl; always exact, as nvidia-modeset shares their number.
constexpr DriverName kDriverNames[] = {
    {NodeRole::AmdKfd, "kfd"},
    {NodeRole::AmdRender, "drm"},
    {NodeRole::NvidiaUvm, "nvidia-uvm"},
    {NodeRole::NvidiaControl, "nvidia-frontend"},
    {NodeRole::NvidiaControl, "nvidia"},
    {NodeRole::NvidiaControl, "nvidiactl"},
    {NodeRole::NvidiaGpu, "nvidia-frontend"},
    {NodeRole::NvidiaGpu, "nvidia"},
    {NodeRole::NvidiaGpu, "nvidiactl"},
};

bool is_driver(NodeRole role, const char* name, std::size_t length) {
    for (const DriverName& known : kDriverNames)
        if (known.role == role && std::strlen(known.name) == length &&
            std::memcmp(known.name, name, length) == 0)
            return true;
    return false;
}

}  // namespace

DriverMajors::DriverMajors() : DriverMajors("/proc/devices") {}

DriverMajors::DriverMajors(const char* proc_devices) {
    std::size_t size = 0;
    const int fd = ::open(proc_devices, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t count = 0;
        while (size < sizeof text_ - 1 &&
               (count = ::read(fd, text_ + size, sizeof text_ - 1 - size)) > 0)
            size += static_cast<std::size_t>(count);
        ::close(fd);
    }
    text_[size] = '\0';
    // Block devices have numbers of their own.
    if (char* const block = std::strstr(text_, "Block devices:")) *block = '\0';
    // Empty where a runtime masks the file with /dev/null.
    readable_ = std::strncmp(text_, "Character devices:", 18) == 0;
}

Owner DriverMajors::owner(NodeRole role, unsigned major) const {
    if (!readable_) return Owner::Unknown;
    Owner owner = Owner::Nobody;
    // Lines "226 drm", right-aligned; several names may share a number.
    for (const char* line = std::strchr(text_, '\n'); line; line = std::strchr(line, '\n')) {
        ++line;
        while (*line == ' ') ++line;
        unsigned number = 0;
        for (; *line >= '0' && *line <= '9'; ++line)
            number = number * 10 + static_cast<unsigned>(*line - '0');
        if (*line != ' ' || number != major) continue;
        ++line;
        const std::size_t length = std::strcspn(line, "\n");
        if (is_driver(role, line, length)) return Owner::Driver;
        owner = Owner::Stranger;
    }
    return owner;
}

}  // namespace gantry::probe::inside
