// What gantry-probe writes to its pipe: one line a fact, tab-separated, so that
// a hang shows how far it came. It comes out of the container and is untrusted:
// bounded size, strict parser, no line is believed twice.
//
//   begin    1                               protocol version; the first line
//   process  UID GID GROUPS                  who checks; GROUPS "44,105" or "-"
//   variable NAME VALUE                      decides what a library shows
//   stage    NAME                            about to do this
//   node     PATH MAJOR MINOR MODE UID GID OPEN IOCTL
//                                            what is there (MODE octal) and the errno values;
//                                            IOCTL -1: not issued; 0:0 with OPEN 0: no device node
//   loader   yes | no ERRNO                  the image can run a dynamic program
//   library  VENDOR PATH                     loaded from there ("amd", "nvidia")
//   fake     VENDOR                          … and it is the test double
//   missing  VENDOR TEXT                     no library; what the loader said
//   failed   VENDOR CALL CODE NAME           the library's own status code and its name or "-"
//   devices  VENDOR COUNT                    GPUs the library counts
//   note     TEXT
//   end                                      the last line
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gantry::probe {

struct ProcessReport {
    std::uint32_t uid = 0, gid = 0;
    std::vector<std::uint32_t> groups;
};

struct NodeReport {
    std::string path;
    std::uint32_t major = 0, minor = 0;  // what the container's node really is; 0:0 if none
    std::uint32_t mode = 0;              // permission bits, 0 where it could not be looked at
    std::uint32_t uid = 0, gid = 0;      // as the container sees them
    int open_errno = 0;                  // 0: opened
    int ioctl_errno = -1;                // -1: not issued
};

struct LibraryReport {
    std::string path;        // empty: not loaded
    bool fake = false;       // the test double of tests/fakes
    std::string missing;     // the loader's words
    std::string failed_call; // empty: none failed
    std::int64_t failed_code = 0;
    std::string failed_name; // what the library calls the code; may be empty
    std::optional<unsigned> devices;
};

struct Report {
    bool began = false, ended = false;
    std::string last_stage;
    std::optional<ProcessReport> process;
    std::vector<std::pair<std::string, std::string>> variables;
    std::vector<NodeReport> nodes;
    std::optional<bool> loader;
    int loader_errno = 0;    // why not, where loader is false
    LibraryReport amd, nvidia;
    std::vector<std::string> notes;
};

inline constexpr std::size_t kMaxReportBytes = 64 * 1024;

// Parses as far as it goes: a report that was cut off by a kill is normal, and
// a last line without its newline is not believed.
// Error ProbeGarbled: a line that is not of the protocol.
[[nodiscard]] Result<Report> parse_report(std::string_view text);

}  // namespace gantry::probe
