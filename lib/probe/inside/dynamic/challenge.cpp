#include "probe/inside/dynamic/challenge.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace gantry::probe::inside {
namespace {

// Byte by byte, so that nothing of the next line is taken. A line is short.
bool read_line(int fd, char (&line)[64]) {
    for (std::size_t size = 0; size + 1 < sizeof line;) {
        const ssize_t count = ::read(fd, line + size, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        if (line[size] == '\n') {
            line[size] = '\0';
            return true;
        }
        ++size;
    }
    return false;
}

}  // namespace

bool read_challenges(int challenge_fd, const char* vendor, unsigned round, unsigned wanted,
                     std::uint64_t (&seeds)[kMaxGpus]) {
    for (; wanted > 0; --wanted) {
        char line[64], name[16];
        unsigned index = 0, of_round = 0;
        unsigned long long seed = 0;
        if (!read_line(challenge_fd, line) ||
            std::sscanf(line, "%15s %u %u %llx", name, &index, &of_round, &seed) != 4 ||
            std::strcmp(name, vendor) != 0 || of_round != round || index >= kMaxGpus)
            return false;
        seeds[index] = seed;
    }
    return true;
}

}  // namespace gantry::probe::inside
