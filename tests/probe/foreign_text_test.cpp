#include "probe/foreign_text.hpp"

#include "catch.hpp"

using namespace gantry::probe;

TEST_CASE("phrases that engines take for another error are put in other words") {
    struct Row {
        const char *theirs, *ours;
    };
    const Row row = GENERATE(
        Row{"x: Permission denied", "x: access refused (EACCES)"},
        Row{"x: No such file or directory", "x: not found (ENOENT)"},
        Row{"OPERATION NOT PERMITTED", "not allowed (EPERM)"},
        Row{"/x is a directory", "/x is a folder"}, Row{"Not a directory", "no folder"},
        Row{"exec: \"a\": executable file not found in $PATH",
            "exec: \"a\": the program was not found in $PATH"},
        // Twice, and one that the removal of another would make.
        Row{"permission denied, permission denied",
            "access refused (EACCES), access refused (EACCES)"},
        Row{"nothing of it", "nothing of it"});
    CHECK(without_engine_phrases(row.theirs) == row.ours);
}

TEST_CASE("foreign text is one short printable line") {
    CHECK(foreign_text("  a\nb\tc\r\n", 80) == "a b c");
    CHECK(foreign_text("permission\ndenied", 80) == "access refused (EACCES)");
    CHECK(foreign_text("\x1b[2J\xc3\xa4", 80) == "\\x1b[2J\\xc3\\xa4");
    CHECK(foreign_text(std::string(1000, 'x'), 10) == "xxxxxxxxxx...");
}

TEST_CASE("of a long path the end is shown") {
    CHECK(short_path("/dev/kfd") == "/dev/kfd");
    CHECK(short_path("/" + std::string(100, 'a') + "/renderD128", 16) == "...aa/renderD128");
}
