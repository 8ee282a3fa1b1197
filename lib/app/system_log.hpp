// The system's log (journald or a syslog daemon), where a person looks at
// night: engines do not show what a successful runtime says.
#pragma once

#include <string>

#include "app/log.hpp"

namespace gantry::app {

inline constexpr const char* kSystemLogSocket = "/dev/log";

// One datagram as syslog(3) writes it, facility daemon. Never blocks: where
// nobody listens or the queue is full, the line is lost.
void system_log_line(LogLevel level, const std::string& text,
                     const std::string& socket_path = kSystemLogSocket);

}  // namespace gantry::app
