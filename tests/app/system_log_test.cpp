#include "app/system_log.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/unique_fd.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

// What /dev/log is on a host with a system log.
UniqueFd listen_at(const std::string& path) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return fd;
}

std::string receive(const UniqueFd& fd) {
    char buffer[4096];
    const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, 0);
    return std::string(buffer, static_cast<std::size_t>(n > 0 ? n : 0));
}

}  // namespace

TEST_CASE("a line reaches the system's log with facility daemon and its severity") {
    test::TempFolder folder;
    const UniqueFd log = listen_at(folder / "log");
    const std::string tag = "gantry[" + std::to_string(::getpid()) + "]: ";
    for (const auto& [level, priority] :
         {std::pair{LogLevel::Debug, "<31>"}, {LogLevel::Info, "<30>"}, {LogLevel::Warn, "<28>"},
          {LogLevel::Error, "<27>"}}) {
        system_log_line(level, "container c: PASS", folder / "log");
        CHECK(receive(log) == priority + tag + "container c: PASS");
    }
}

TEST_CASE("a system log that is absent, full or no socket costs a line, nothing else") {
    test::TempFolder folder;
    system_log_line(LogLevel::Info, "nobody there", folder / "absent");
    folder.file("file", "kept");
    system_log_line(LogLevel::Info, "no socket", folder / "file");
    CHECK(folder.text("file") == "kept");
    const UniqueFd log = listen_at(folder / "log");
    for (int i = 0; i < 2000; ++i) system_log_line(LogLevel::Info, "flood", folder / "log");
    CHECK_FALSE(receive(log).empty());
    system_log_line(LogLevel::Info, "too long a name", std::string(200, 'x'));
}
