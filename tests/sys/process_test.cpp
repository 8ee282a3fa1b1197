#include "sys/process.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "catch.hpp"

using namespace gantry;

namespace {

std::chrono::steady_clock::time_point in_a_while() {
    return std::chrono::steady_clock::now() + std::chrono::seconds{5};
}

}  // namespace

TEST_CASE("become() comes back with the reason where it failed") {
    char name[] = "program";
    char* const arguments[] = {name, nullptr};
    char* const environment[] = {nullptr};
    CHECK(sys::become("/does/not/exist", arguments, environment) == ENOENT);
    CHECK(sys::become("/", arguments, environment) == EACCES);
}

TEST_CASE("kill_process() ends the process, and takes one that is gone") {
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const UniqueFd killed = sys::kill_process(child);
    CHECK(sys::has_ended(killed, in_a_while()));
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
    CHECK_FALSE(sys::kill_process(child));
}

TEST_CASE("has_ended() waits, but not for ever") {
    const UniqueFd living(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    REQUIRE(living);
    const auto begin = std::chrono::steady_clock::now();
    CHECK_FALSE(sys::has_ended(living, begin + std::chrono::milliseconds{20}));
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds{20});
    CHECK_FALSE(sys::has_ended(living, begin));  // in the past
    CHECK(sys::has_ended({}, begin));
}

TEST_CASE("The children of a child that ended are ours after adopt_orphans()") {
    const pid_t outer = ::fork();
    if (outer == 0) {
        sys::adopt_orphans();
        const pid_t middle = ::fork();
        if (middle == 0) {
            if (::fork() == 0) ::usleep(50'000);
            ::_exit(0);
        }
        int collected = 0;
        while (::wait(nullptr) > 0) ++collected;
        ::_exit(collected);
    }
    int status = 0;
    REQUIRE(::waitpid(outer, &status, 0) == outer);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 2);
}
