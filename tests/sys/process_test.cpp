#include "sys/process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "catch.hpp"

using namespace gantry;

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
    sys::kill_process(child);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
    sys::kill_process(child);
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
