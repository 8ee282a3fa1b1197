// What gantry-probe writes to its pipe: one line a fact, tab-separated, so that
// a hang shows how far it came. It comes out of the container and is untrusted:
// bounded size, strict parser, no line is believed twice.
//
//   begin  1                                  protocol version; the first line
//   stage  NAME                               about to do this
//   node   PATH MAJOR MINOR OPEN IOCTL        errno values; IOCTL -1: not issued
//   loader yes|no                             the image has the dynamic loader
//   library VENDOR PATH                       loaded from there ("amd", "nvidia")
//   missing VENDOR TEXT                       no library; what the loader said
//   failed VENDOR CALL CODE                   the library's own status code
//   devices VENDOR COUNT                      GPUs the library counts
//   note   TEXT
//   end                                       the last line
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gantry::probe {

struct NodeReport {
    std::string path;
    std::uint32_t major = 0, minor = 0;  // what the container's node really is; 0:0 if not there
    int open_errno = 0;                  // 0: opened
    int ioctl_errno = -1;                // -1: not issued
};

struct LibraryReport {
    std::string path;        // empty: not loaded
    std::string missing;     // the loader's words
    std::string failed_call; // empty: none failed
    std::int64_t failed_code = 0;
    std::optional<unsigned> devices;
};

struct Report {
    bool began = false, ended = false;
    std::string last_stage;
    std::vector<NodeReport> nodes;
    std::optional<bool> loader;
    LibraryReport amd, nvidia;
    std::vector<std::string> notes;
};

inline constexpr std::size_t kMaxReportBytes = 64 * 1024;

// Parses as far as it goes: a report that was cut off by a kill is normal.
// Error ProbeGarbled: a line that is not of the protocol.
[[nodiscard]] Result<Report> parse_report(std::string_view text);

}  // namespace gantry::probe
