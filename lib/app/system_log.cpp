#include "app/system_log.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/unique_fd.hpp"

namespace gantry::app {
namespace {

constexpr int kFacilityDaemon = 3 << 3;
// Severities of syslog(3), by LogLevel.
constexpr int kSeverities[] = {7, 6, 4, 3};

}  // namespace

void system_log_line(LogLevel level, const std::string& text, const std::string& socket_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
    const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return;
    const std::string line = "<" +
                             std::to_string(kFacilityDaemon | kSeverities[static_cast<int>(level)]) +
                             ">gantry[" + std::to_string(::getpid()) + "]: " + text;
    (void)::sendto(fd.get(), line.data(), line.size(), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace gantry::app
