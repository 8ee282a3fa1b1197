// One child process with a deadline. The child is watched through a pidfd and
// pipes that are polled, never by a wait or a read that could block for ever:
// a process stuck in a driver must not make its parent hang.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace gantry::sys {

struct Command {
    std::string path;                        // absolute
    std::vector<std::string> arguments;      // argv, argv[0] included
    std::vector<std::string> environment;    // "NAME=value"
    // Descriptors that the child gets as 3, 4, …; everything above is closed.
    // They are moved in the child alone: low numbers may belong to the engine.
    // At most 16.
    std::vector<int> passed;
    std::chrono::milliseconds timeout{0};
    std::size_t max_output = 64 * 1024;      // stdout and stderr together
    int output = -1;                         // stdout and stderr go here instead; not captured
    int interrupt_fd = -1;                   // once readable the child is killed as by the timeout
    std::function<void(pid_t)> started = {};  // called once the child runs
};

struct Stream {
    int fd = -1;                  // read end, polled together with the child
    std::size_t max_bytes = 0;
    std::string text;
    bool overflow = false;
    // Called for what has just come, as long as it is within max_bytes. May move
    // `deadline`, which counts beside the command's own.
    std::function<void(std::string_view)> on_data;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct Completed {
    bool timed_out = false;
    bool interrupted = false;     // by interrupt_fd
    bool unkillable = false;      // SIGKILL sent, still there after the grace time
    int exit_code = -1;           // 128+n for signal n, -1 where unknown
    bool signalled = false;       // the child itself ended by a signal
    std::string output;           // stdout and stderr
    pid_t pid = -1;
};

// Runs the command with an empty stdin and its output captured. `stream`, if
// given, is read at the same time. on_timeout is called once, before the child
// and its process group are killed: the place to kill what left that group.
// Error: RuntimeFailed where the child cannot be started.
[[nodiscard]] Result<Completed> run_command(const Command& command, Stream* stream = nullptr,
                                            const std::function<void()>& on_timeout = {});

// How long a killed child is given to go.
inline constexpr std::chrono::milliseconds kKillGrace{1500};

}  // namespace gantry::sys
