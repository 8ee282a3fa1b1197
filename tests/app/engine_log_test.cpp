#include "app/engine_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

const Error kError{Code::NoGpu, "no \"GPU\"\nhere", "Buy one"};
const std::string kText = "GTY-203: no \"GPU\"\nhere. Buy one";

// What went to stderr; the log is for the caller to look at.
std::string report(const oci::RuntimeArgv& arguments, const Error& error = kError) {
    return test::in_child([&] {
        int ends[2];
        if (::pipe(ends) != 0) return std::string("no pipe");
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[1]);
        report_to_engine(arguments, error);
        ::close(STDERR_FILENO);
        std::string text(4096, '\0');
        const ssize_t n = ::read(ends[0], text.data(), text.size());
        text.resize(static_cast<std::size_t>(n > 0 ? n : 0));
        return text;
    });
}

oci::RuntimeArgv argv(const std::string& log, const std::string& format) {
    oci::RuntimeArgv arguments;
    arguments.log = log;
    arguments.log_format = format;
    return arguments;
}

}  // namespace

TEST_CASE("one JSON line is appended to the engine's log") {
    test::TempFolder folder;
    folder.file("log.json", "{\"level\":\"warning\",\"msg\":\"earlier\"}\n");
    CHECK(report(argv(folder / "log.json", "json")) == kText + "\n");
    const std::string log = folder.text("log.json");
    const std::size_t second = log.find('\n') + 1;
    CHECK(log.substr(0, second) == "{\"level\":\"warning\",\"msg\":\"earlier\"}\n");
    CHECK(log.find('\n', second) == log.size() - 1);  // exactly one line
    const auto line = nlohmann::json::parse(log.substr(second));
    CHECK(line.size() == 3);
    CHECK(line["level"] == "error");
    CHECK(line["msg"] == kText);
    // Engines throw the message away where the time is not RFC 3339.
    const std::string time = line["time"];
    CHECK(std::regex_match(time, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
    std::tm fields{};
    ::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
    CHECK(std::abs(std::difftime(::timegm(&fields), std::time(nullptr))) < 60);
}

TEST_CASE("a log of another format gets a line of that kind") {
    for (const char* format : {"", "text", "JSON"}) {
        test::TempFolder folder;
        CHECK(report(argv(folder / "log", format)) == kText + "\n");
        CHECK(std::regex_match(
            folder.text("log"),
            std::regex(R"(time="\S+Z" level=error msg="GTY-203: no \\"GPU\\"\\nhere\. Buy one"\n)")));
        struct stat status {};
        ::stat((folder / "log").c_str(), &status);
        CHECK((status.st_mode & 0111) == 0);
    }
}

TEST_CASE("crun's other log targets") {
    test::TempFolder folder;
    CHECK(report(argv("file:" + (folder / "log"), "json")) == kText + "\n");
    CHECK(nlohmann::json::parse(folder.text("log"))["msg"] == kText);
    // Not files: nothing is made in their name.
    CHECK(test::in_child([&]() -> std::string {
              if (::chdir(folder.path().c_str()) != 0) return "no folder";
              return report(argv("journald:gantry", "json")) +
                     report(argv("syslog:gantry", "json"));
          }) == kText + "\n" + kText + "\n");
    CHECK(folder.snapshot().size() == 1);
}

TEST_CASE("a log that cannot be written never keeps the error from stderr") {
    test::TempFolder folder;
    folder.folder("folder").link("loop", "loop");
    ::mkfifo((folder / "fifo").c_str(), 0600);  // nobody reads it
    const auto before = folder.snapshot();
    for (const std::string& log : {std::string(), folder / "no/folder/log", folder / "folder",
                                   folder / "loop", folder / "fifo", std::string("/proc/version/x"),
                                   std::string("file:"), std::string("/dev/full")}) {
        CAPTURE(log);
        CHECK(report(argv(log, "json")) == kText + "\n");
    }
    CHECK(folder.snapshot() == before);
}

TEST_CASE("no error is longer than engines show") {
    test::TempFolder folder;
    const Error error{Code::NoGpu, std::string(2000, 'x'), "Do something"};
    CHECK(report(argv(folder / "log", "json"), error).size() == kMaxErrorBytes + 1);
    CHECK(nlohmann::json::parse(folder.text("log"))["msg"].get<std::string>().size() ==
          kMaxErrorBytes);
}
