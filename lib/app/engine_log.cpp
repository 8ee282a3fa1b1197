#include "app/engine_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "base/unique_fd.hpp"
#include "oci-spec/json_document.hpp"

namespace gantry::app {
namespace {

// RFC 3339 in UTC; containerd drops the whole message where it does not parse.
std::string timestamp() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

void append_line(const std::string& path, const std::string& line) {
    const UniqueFd fd(::open(path.c_str(),
                             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                             0644));
    if (fd) (void)!::write(fd.get(), line.data(), line.size());
}

}  // namespace

void report_to_engine(const oci::RuntimeArgv& arguments, const Error& error) {
    const std::string text = error.text();
    const std::string quoted = oci::json_quote(text);
    std::string log = arguments.log;
    // crun's --log also names other targets; only a file is ours to write.
    if (log.starts_with("file:")) log.erase(0, 5);
    if (!log.empty() && !log.starts_with("journald:") && !log.starts_with("syslog:")) {
        if (arguments.log_format == "json")
            append_line(log, "{\"level\":\"error\",\"msg\":" + quoted + ",\"time\":\"" +
                                 timestamp() + "\"}\n");
        else
            append_line(log, "time=\"" + timestamp() + "\" level=error msg=" + quoted + "\n");
    }
    const std::string line = text + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace gantry::app
