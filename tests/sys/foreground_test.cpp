#include "sys/foreground.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

Ended shell(const std::string& script) {
    const char* const arguments[] = {"sh", "-c", script.c_str(), nullptr};
    const char* const environment[] = {"PATH=/usr/bin:/bin", nullptr};
    return run_in_foreground("/bin/sh", const_cast<char**>(arguments),
                             const_cast<char**>(environment));
}

}  // namespace

TEST_CASE("how a program in the foreground ends") {
    CHECK(shell("exit 7").exit_code == 7);
    CHECK(shell("kill -KILL $$").signal == SIGKILL);
    char* const none[] = {nullptr};
    const Ended missing = run_in_foreground("/none/of/these", none, none);
    CHECK(missing.cause == ENOENT);
    CHECK(shell("exit 0").cause == 0);
}

TEST_CASE("it has what execve would give it") {
    test::TempFolder folder;
    CHECK(test::in_child([&]() -> std::string {
              ::signal(SIGCHLD, SIG_IGN);
              sigset_t blocked;
              ::sigemptyset(&blocked);
              ::sigaddset(&blocked, SIGUSR1);
              ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
              // Not by a shell: dash clears the mask.
              const char* const arguments[] = {"grep", "-E", "^(NSpgid|SigBlk|SigIgn)",
                                               "/proc/self/status", nullptr};
              char* const none[] = {nullptr};
              const int out = ::open((folder / "status").c_str(), O_WRONLY | O_CREAT, 0600);
              const int kept = ::dup(1);
              ::dup2(out, 1);
              const Ended ended = run_in_foreground("/bin/grep", const_cast<char**>(arguments), none);
              ::dup2(kept, 1);
              sigset_t after;
              ::sigprocmask(SIG_BLOCK, nullptr, &after);
              struct sigaction action {};
              ::sigaction(SIGCHLD, nullptr, &action);
              if (ended.exit_code != 0) return "exit " + std::to_string(ended.exit_code);
              if (!::sigismember(&after, SIGUSR1) || ::sigismember(&after, SIGTERM) ||
                  action.sa_handler != SIG_IGN)
                  return "not restored";
              const std::string group = "NSpgid:\t" + std::to_string(::getpgrp()) + "\n";
              const std::string text = folder.text("status");
              return text.starts_with(group) ? text.substr(group.size()) : text;
          }) == "SigBlk:\t0000000000000200\nSigIgn:\t0000000000010000\n");
}

TEST_CASE("signals are passed on to it") {
    CHECK(test::in_child([]() -> std::string {
              const std::string parent = std::to_string(::getpid());
              const Ended ended =
                  shell("trap 'exit 9' TERM; kill -TERM " + parent +
                        "; i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done");
              return std::to_string(ended.exit_code);
          }) == "9");
}
