#include "sys/caught_signals.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "in_child.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

bool is_readable(int fd) {
    pollfd polled{fd, POLLIN, 0};
    return ::poll(&polled, 1, 0) == 1;
}

// How a child ends that runs this.
int status_of(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGTERM, SIG_DFL);  // Catch's own handler speaks
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("signals that ask to end wait, and are told") {
    const int signal = GENERATE(SIGHUP, SIGINT, SIGQUIT, SIGTERM);
    CAPTURE(signal);
    CHECK(test::in_child([&]() -> std::string {
              CaughtSignals caught;
              if (caught.take() != 0 || is_readable(caught.fd())) return "before";
              ::raise(signal);
              if (!is_readable(caught.fd())) return "not readable";
              if (caught.take() != signal || caught.take() != 0) return "not taken once";
              return "told";
          }) == "told");
}

TEST_CASE("what was not taken acts afterwards, and the mask is as before") {
    const int status = status_of([] {
        const CaughtSignals caught;
        ::raise(SIGTERM);
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
    CHECK(test::in_child([]() -> std::string {
              sigset_t before, during, after;
              ::sigprocmask(SIG_BLOCK, nullptr, &before);
              {
                  const CaughtSignals caught;
                  ::sigprocmask(SIG_BLOCK, nullptr, &during);
              }
              ::sigprocmask(SIG_BLOCK, nullptr, &after);
              return std::string(::sigismember(&before, SIGTERM) ? "1" : "0") +
                     (::sigismember(&during, SIGTERM) ? "1" : "0") +
                     (::sigismember(&after, SIGTERM) ? "1" : "0");
          }) == "010");
}

TEST_CASE("an ignored or blocked signal is none") {
    CHECK(test::in_child([]() -> std::string {
              ::signal(SIGHUP, SIG_IGN);
              sigset_t blocked;
              ::sigemptyset(&blocked);
              ::sigaddset(&blocked, SIGINT);
              ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
              CaughtSignals caught;
              ::raise(SIGHUP);
              ::raise(SIGINT);
              return std::to_string(caught.take());
          }) == "0");
}

TEST_CASE("a process ends as by the signal, whatever it did with it before") {
    const int status = status_of([] {
        ::signal(SIGTERM, SIG_IGN);
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        end_by_signal(SIGTERM);
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
}
