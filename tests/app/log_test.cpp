#include "app/log.hpp"

#include <sys/stat.h>

#include <regex>

#include "base/text.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

Settings logging_to(const std::string& path, const std::string& level = "info") {
    Settings settings;
    settings.log_file = path;
    settings.log_level = level;
    settings.log_to_system = false;  // not into the journal of who runs the tests
    return settings;
}

}  // namespace

TEST_CASE("a line of Gantry's log has time, level, container and text") {
    test::TempFolder folder;
    const Settings settings = logging_to(folder / "log");
    log_line(settings, LogLevel::Info, "web1", "PASS: {} %s AMD GPU 0");
    log_line(settings, LogLevel::Error, "", "no container");
    const auto text = folder.text("log");
    const auto lines = split(text, '\n');
    REQUIRE(lines.size() == 3);
    const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d )";
    CHECK(std::regex_match(std::string(lines[0]),
                           std::regex(time + R"(info web1 PASS: \{\} %s AMD GPU 0)")));
    CHECK(std::regex_match(std::string(lines[1]), std::regex(time + "error - no container")));
    struct stat status {};
    ::stat((folder / "log").c_str(), &status);
    CHECK((status.st_mode & 0137) == 0);  // for root and its group alone
}

TEST_CASE("a line names the pod, and the GPU where its text does not") {
    test::TempFolder folder;
    Story story;
    story.pod = "shop/web";
    story.gpus = {"AMD GPU 0 (X)", "AMD GPU 1 (X)"};
    const Settings settings = logging_to(folder / "log");
    log_line(settings, LogLevel::Warn, "c1", "no library", story);
    log_line(settings, LogLevel::Info, "c1", "PASS: AMD GPU 0 (X), AMD GPU 1 (X)", story);
    const std::string text = folder.text("log");
    CHECK(text.find(" warning c1 pod shop/web: AMD GPU 0 (X) and 1 more: no library\n") !=
          std::string::npos);
    CHECK(text.find(" info c1 pod shop/web: PASS: AMD GPU 0 (X), AMD GPU 1 (X)\n") !=
          std::string::npos);
}

TEST_CASE("lines below the level are left out") {
    const std::pair<const char*, std::size_t> cases[] = {
        {"debug", 4}, {"info", 3}, {"warn", 2}, {"error", 1}};
    for (const auto& [level, lines] : cases) {
        CAPTURE(level);
        test::TempFolder folder;
        for (const LogLevel each :
             {LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error})
            log_line(logging_to(folder / "log", level), each, "c", "text");
        CHECK(split(folder.text("log"), '\n').size() == lines + 1);
    }
}

TEST_CASE("texts of a container cannot forge lines") {
    test::TempFolder folder;
    log_line(logging_to(folder / "log"), LogLevel::Warn, "id\nx", "a\nb\x1b[2J\r" + std::string(9000, 'z'));
    const std::string text = folder.text("log");
    CHECK(split(text, '\n').size() == 2);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.size() < 2200);
}

TEST_CASE("a log that cannot be opened is no log") {
    test::TempFolder folder;
    folder.file("target").link("link", "target").folder("folder");
    ::mkfifo((folder / "fifo").c_str(), 0600);
    const auto before = folder.snapshot();
    for (const std::string& path : {std::string(), folder / "no/log", folder / "link",
                                    folder / "folder", folder / "fifo"})
        log_line(logging_to(path), LogLevel::Error, "c", "text");
    CHECK(folder.snapshot() == before);  // least of all through a link
}
