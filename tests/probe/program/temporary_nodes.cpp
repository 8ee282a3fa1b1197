#include "temporary_nodes.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/error.hpp"

namespace gantry::probe {

TemporaryNodes::TemporaryNodes() {
    char name[] = "/tmp/gantry-nodes-XXXXXX";
    if (!::mkdtemp(name)) throw std::runtime_error("mkdtemp");
    ::chmod(name, 0755);
    folder_ = name;
}

TemporaryNodes::~TemporaryNodes() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryNodes::make(const std::string& role, const std::string& name, unsigned major,
                                 unsigned minor, mode_t mode) {
    const std::string path = folder_ + "/" + name;
    if (::mknod(path.c_str(), S_IFCHR | mode, makedev(major, minor)) != 0 ||
        ::chmod(path.c_str(), mode) != 0)
        return "";
    return role + ":" + std::to_string(major) + ":" + std::to_string(minor) + ":" + path;
}

std::string why_no_nodes() {
    TemporaryNodes nodes;
    if (nodes.make("kfd", "null", 1, 3, 0666).empty())
        return "device nodes cannot be made: " + errno_text(errno);
    const int fd = ::open((nodes.folder() + "/null").c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return "device nodes in /tmp cannot be opened: " + errno_text(errno);
    ::close(fd);
    return "";
}

unsigned unowned_major() {
    std::ifstream devices("/proc/devices");
    std::set<unsigned> owned;
    std::string line;
    while (std::getline(devices, line) && line != "Block devices:")
        owned.insert(static_cast<unsigned>(std::strtoul(line.c_str(), nullptr, 10)));
    for (unsigned major = 254; major > 233; --major)
        if (!owned.contains(major)) return major;
    return 233;
}

}  // namespace gantry::probe
