// What gantry-probe writes to its pipe: one line a fact, tab-separated, so that
// a hang shows how far it came. It comes out of the container and is untrusted:
// bounded size, strict parser, no line is believed twice.
//
//   begin    2                               protocol version; the first line
//   process  UID GID GROUPS                  who checks; GROUPS "44,105" or "-"
//   variable NAME VALUE                      decides what a library shows
//   stage    NAME [VENDOR INDEX]             about to do this, on that GPU
//   node     PATH MAJOR MINOR MODE UID GID OPEN IOCTL
//                                            what is there (MODE octal) and the errno values;
//                                            IOCTL -1: not issued; 0:0 with OPEN 0: no device node
//   nodev    PATH                            the node above lies on a mount that forbids devices
//   loader   yes | no ERRNO                  the image can run a dynamic program
//   library  VENDOR PATH                     loaded from there ("amd", "nvidia")
//   fake     VENDOR                          … and it is the test double
//   missing  VENDOR TEXT                     no library; what the loader said
//   failed   VENDOR CALL CODE NAME [INDEX]   the library's own status code and its name or "-"
//   devices  VENDOR COUNT                    GPUs the library counts
//   note     TEXT
//   end                                      the last line
//
// About one GPU, INDEX by the library's own count (report_gpu.cpp):
//
//   device   VENDOR INDEX PCI TARGET UNITS NAME
//   memory   VENDOR INDEX FREE TOTAL         bytes
//   busy     VENDOR INDEX WHY                not computed on it (kBusy… of protocol.hpp)
//   measure  VENDOR INDEX ROUND              the timed products begin
//   product  VENDOR INDEX ROUND COUNT BEST MEDIAN
//                                            they are done; nanoseconds by the GPU's clock
//   sums     VENDOR INDEX ROUND FIRST HEX    row sums from row FIRST on
//   checked  VENDOR INDEX ROUND BAD          all sums are told; values that are no integers
//   evidence VENDOR INDEX UNITS STEADY GROUPS
//                                            units that ran; groups whose clocks ran, of all
//   done     VENDOR INDEX
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
    bool nodev = false;                  // on a mount on which no device opens
};

struct FailedCall {
    std::string call;        // empty: none failed
    std::int64_t code = 0;
    std::string name;        // what the library calls the code; may be empty
};

struct RoundReport {
    bool measuring = false;                   // `measure` came
    unsigned products = 0;                    // 0: not done
    std::uint64_t best_ns = 0, median_ns = 0; // by the GPU's clock: a claim
    std::vector<std::uint64_t> sums;
    std::optional<std::uint64_t> bad;         // set once all sums are told
};

struct GpuReport {
    unsigned index = 0;
    std::string pci, target, name;            // empty: no `device` line
    unsigned units = 0;
    std::uint64_t free_bytes = 0, total_bytes = 0;
    std::string busy;                         // empty: not
    std::string last_stage;
    FailedCall failed;
    std::vector<RoundReport> rounds;
    unsigned units_seen = 0, steady_groups = 0, groups = 0;  // of the evidence
    bool done = false;
};

struct LibraryReport {
    std::string path;        // empty: not loaded
    bool fake = false;       // the test double of tests/fakes
    std::string missing;     // the loader's words
    FailedCall failed;       // of the library as a whole
    std::optional<unsigned> devices;
    std::vector<GpuReport> gpus;
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

// Room for everything but the sums, and for the sums of one GPU's round.
inline constexpr std::size_t kMaxReportBytes = 64 * 1024;
inline constexpr std::size_t kMaxRoundBytes = 72 * 1024;

// Parses as far as it goes: a report that was cut off by a kill is normal, and
// a last line without its newline is not believed.
// Error ProbeGarbled: a line that is not of the protocol.
[[nodiscard]] Result<Report> parse_report(std::string_view text);

}  // namespace gantry::probe
