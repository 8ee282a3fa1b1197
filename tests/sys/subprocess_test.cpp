#include "sys/subprocess.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/text.hpp"
#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

Command shell(const std::string& script, std::chrono::milliseconds timeout = 20s) {
    Command command;
    command.path = "/bin/sh";
    command.arguments = {"sh", "-c", script};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.timeout = timeout;
    return command;
}

Completed run(const Command& command, Stream* stream = nullptr) {
    auto completed = run_command(command, stream);
    if (!completed) throw std::runtime_error(completed.error().text());
    return std::move(*completed);
}

// Gone, or dead and waiting for whoever adopted it.
bool is_dead(const std::string& pid) {
    const std::string status = [&] {
        std::ifstream file("/proc/" + pid + "/stat");
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }();
    return status.empty() || status.find(") Z ") != std::string::npos;
}

bool dies_soon(const std::string& pid) {
    for (int i = 0; i < 100; ++i) {
        if (is_dead(pid)) return true;
        ::usleep(20'000);
    }
    return false;
}

}  // namespace

TEST_CASE("how a child ends and what it printed") {
    const struct {
        const char* script;
        int exit_code;
        const char* output;
    } cases[] = {
        {"exit 0", 0, ""},
        {"exit 7", 7, ""},
        {"kill -9 $$", 137, ""},
        {"kill -TERM $$", 143, ""},
        {"echo out; echo err >&2; exit 1", 1, "out\nerr\n"},
        {"cat; echo end", 0, "end\n"},  // stdin is empty
        {"echo \"$GIVEN\" $HOME", 0, "a b\n"},
        {"echo $0 $#", 0, "name 0\n"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.script);
        Command command = shell(row.script);
        command.environment.emplace_back("GIVEN=a b");
        command.arguments.emplace_back("name");
        const Completed completed = run(command);
        CHECK(completed.exit_code == row.exit_code);
        CHECK(completed.output == row.output);
        CHECK_FALSE(completed.timed_out);
        CHECK_FALSE(completed.unkillable);
        CHECK(::waitpid(completed.pid, nullptr, WNOHANG) == -1);  // no zombie
    }
}

TEST_CASE("the deadline ends a child, whatever it is doing") {
    const char* const scripts[] = {
        "sleep 60",
        "trap '' TERM INT HUP; while :; do :; done",
        "while :; do echo flood; done",
        "while :; do echo flood; done >&2",
        "exec >&- 2>&-; sleep 60",
        "kill -STOP $$; sleep 60",
    };
    for (const char* const script : scripts) {
        CAPTURE(script);
        Command command = shell(script, 150ms);
        command.max_output = 1000;
        int calls = 0;
        const auto start = Clock::now();
        const auto completed = run_command(command, nullptr, [&] { ++calls; });
        REQUIRE(completed);
        CHECK(Clock::now() - start < 5s);
        CHECK(Clock::now() - start >= 150ms);
        CHECK(completed->timed_out);
        CHECK_FALSE(completed->unkillable);
        CHECK(completed->exit_code == 137);
        CHECK(completed->output.size() <= 1000);
        CHECK(calls == 1);
        CHECK(::waitpid(completed->pid, nullptr, WNOHANG) == -1);
    }
}

TEST_CASE("a child's own children go with it at the deadline") {
    const Completed completed = run(shell("sleep 60 & echo $!; wait", 300ms));
    CHECK(completed.timed_out);
    const std::string pid(trim(completed.output));
    REQUIRE_FALSE(pid.empty());
    CHECK(dies_soon(pid));
}

TEST_CASE("nobody waits for what a finished child left behind") {
    const char* const scripts[] = {
        "sleep 20 & exit 3",                           // holds the pipe
        "yes flood & exit 3",                          // writes on
        "(trap '' PIPE; sleep 20; echo late) & exit 3",
    };
    for (const char* const script : scripts) {
        CAPTURE(script);
        const auto start = Clock::now();
        const Completed completed = run(shell(script));
        CHECK(Clock::now() - start < 5s);
        CHECK(completed.exit_code == 3);
        CHECK_FALSE(completed.timed_out);
        ::kill(-completed.pid, SIGKILL);
    }
}

TEST_CASE("more output than is kept is read all the same") {
    Command command = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo >&2; exit 4");
    command.max_output = 5000;
    const Completed completed = run(command);
    CHECK(completed.exit_code == 4);
    CHECK(completed.output == std::string(5000, 'x'));
}

TEST_CASE("output just before the end is not lost") {
    for (int i = 0; i < 20; ++i) {
        const Completed completed = run(shell("head -c 60000 /dev/zero | tr '\\0' y; exit 0"));
        CHECK(completed.output.size() == 60000);
    }
}

TEST_CASE("a stream is read beside the output, with a bound of its own") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd read_end(ends[0]), write_end(ends[1]);
    Command command = shell("echo report >&3; echo words; head -c 100000 /dev/zero >&3");
    command.passed = {write_end.get()};
    Stream stream;
    stream.fd = read_end.get();
    stream.max_bytes = 1000;
    std::string heard;
    stream.on_data = [&](std::string_view bytes) { heard += bytes; };
    const Completed completed = run(command, &stream);
    CHECK(completed.exit_code == 0);
    CHECK(completed.output == "words\n");
    CHECK(stream.text.starts_with("report\n"));
    CHECK(stream.text.size() == 1000);
    CHECK(stream.overflow);
    CHECK(heard == stream.text);

    command = shell("printf exact >&3");
    command.passed = {write_end.get()};
    Stream exact;
    exact.fd = read_end.get();
    exact.max_bytes = 5;
    (void)run(command, &exact);
    CHECK(exact.text == "exact");
    CHECK_FALSE(exact.overflow);
}

TEST_CASE("output can go to a descriptor instead") {
    test::TempFolder folder;
    folder.file("log");
    const UniqueFd log(::open((folder / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    Command command = shell("echo out; echo err >&2");
    command.output = log.get();
    CHECK(run(command).output.empty());
    CHECK(folder.text("log") == "out\nerr\n");
}

TEST_CASE("descriptors are passed as 3, 4, … whatever their numbers are here") {
    test::TempFolder folder;
    folder.file("a", "A").file("b", "B");
    // In a process of its own, whose low numbers are free to use.
    const auto outcome = [&](int number_of_a, int number_of_b) {
        return test::in_child([&] {
            const int a = ::open((folder / "a").c_str(), O_RDONLY | O_CLOEXEC);
            const int b = ::open((folder / "b").c_str(), O_RDONLY | O_CLOEXEC);
            const int high_a = ::fcntl(a, F_DUPFD_CLOEXEC, 200);
            const int high_b = ::fcntl(b, F_DUPFD_CLOEXEC, 200);
            // What an engine leaves open: without close-on-exec.
            for (const int number : {3, 4, 5, 10, 251}) ::dup2(2, number);
            ::dup3(high_a, number_of_a, O_CLOEXEC);
            ::dup3(high_b, number_of_b, O_CLOEXEC);
            Command command = shell("cat <&3; cat <&4; for n in /proc/self/fd/*; do echo ${n##*/}; "
                                    "done | sort -n | tr '\\n' ' '");
            command.passed = {number_of_a, number_of_b};
            return run(command).output;
        });
    };
    const std::string clean = outcome(20, 21);
    CHECK(clean == "AB0 1 2 3 4 5 ");  // 5: the shell reads the folder
    for (const auto& [a, b] : {std::pair{3, 4}, {4, 3}, {4, 20}, {20, 3}, {64, 65}, {100, 64}}) {
        CAPTURE(a, b);
        CHECK(outcome(a, b) == clean);
    }
}

TEST_CASE("a program that cannot be executed is an error, not an exit status") {
    test::TempFolder folder;
    folder.file("not-executable").file("no-program", "no program\n").folder("folder");
    ::chmod((folder / "no-program").c_str(), 0755);
    const struct {
        std::string path;
        const char* expected;
    } cases[] = {
        {folder / "nowhere", "ENOENT"},
        {folder / "not-executable", "EACCES"},
        {folder / "folder", "EACCES"},
        {folder / "no-program", "ENOEXEC"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path);
        Command command = shell("");
        command.path = row.path;
        const auto completed = run_command(command);
        REQUIRE(!completed);
        CHECK(completed.error().code == Code::RuntimeFailed);
        CHECK(completed.error().message.find(row.path) != std::string::npos);
        CHECK(completed.error().message.find(row.expected) != std::string::npos);
        CHECK(completed.error().text().find("o such file") == std::string::npos);
        CHECK(completed.error().text().find("ermission denied") == std::string::npos);
    }
    Command command = shell("exit 0");
    command.passed.assign(17, 0);
    const auto completed = run_command(command);
    REQUIRE(!completed);
    CHECK(completed.error().message.find("E2BIG") != std::string::npos);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left
}

TEST_CASE("a caller's signal settings do not reach the child or its exit status") {
    CHECK(test::in_child([] {
              ::signal(SIGCHLD, SIG_IGN);
              sigset_t all;
              ::sigfillset(&all);
              ::sigprocmask(SIG_SETMASK, &all, nullptr);
              const Completed completed = run(shell("kill -TERM $$; echo alive"));
              return std::to_string(completed.exit_code) + completed.output;
          }) == "143");
    // And the caller has its own settings back.
    CHECK(test::in_child([] {
              ::signal(SIGCHLD, SIG_IGN);
              (void)run(shell("exit 0"));
              return ::signal(SIGCHLD, SIG_DFL) == SIG_IGN ? "ignored" : "changed";
          }) == "ignored");
}

TEST_CASE("what the stream brings may set a deadline, and silence beyond it ends the child") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd read_end(ends[0]), write_end(ends[1]);
    Command command = shell("echo stage >&3; sleep 60");
    command.passed = {write_end.get()};
    Stream stream;
    stream.fd = read_end.get();
    stream.max_bytes = 1000;
    stream.on_data = [&](std::string_view) {
        stream.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    };
    const Completed completed = run(command, &stream);
    CHECK(completed.timed_out);
    CHECK(stream.text == "stage\n");
}

TEST_CASE("a descriptor that becomes readable ends the child as the timeout does") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const UniqueFd read(ends[0]), write(ends[1]);
    Command command = shell("echo $$; exec sleep 60");
    command.interrupt_fd = read.get();
    command.started = [&](pid_t) { REQUIRE(::write(write.get(), "x", 1) == 1); };
    bool told = false;
    const auto begin = Clock::now();
    const auto completed = run_command(command, nullptr, [&] { told = true; });
    REQUIRE(completed);
    CHECK(Clock::now() - begin < 10s);
    CHECK(completed->interrupted);
    CHECK_FALSE(completed->timed_out);
    CHECK_FALSE(completed->unkillable);
    CHECK(told);
    CHECK(is_dead(std::to_string(completed->pid)));
}
