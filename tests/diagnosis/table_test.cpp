#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "catch.hpp"
#include "diagnosis/render_man.hpp"
#include "diagnosis/render_text.hpp"

using namespace gantry;
using namespace gantry::diagnosis;

namespace {

std::string file_text(const std::string& below_top) {
    std::ifstream stream(std::string(GANTRY_FIXTURES) + "/../../" + below_top);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::set<unsigned> codes_of_the_program() {
    const std::string text = file_text("lib/base/code.hpp");
    const std::regex line(R"(\n    [A-Z][A-Za-z]+ = (\d{3}),)");
    std::set<unsigned> codes;
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
        codes.insert(static_cast<unsigned>(std::stoul((*at)[1])));
    return codes;
}

}  // namespace

TEST_CASE("every error code of the program is explained, once, in order") {
    const std::set<unsigned> wanted = codes_of_the_program();
    REQUIRE(wanted.size() >= 29);
    std::set<unsigned> found;
    unsigned last = 0;
    for (const Explanation& row : explanations()) {
        if (!row.code) continue;
        const auto number = static_cast<unsigned>(*row.code);
        CAPTURE(number);
        CHECK(found.insert(number).second);
        CHECK(number > last);
        last = number;
    }
    CHECK(found == wanted);
}

TEST_CASE("each row has a meaning of one sentence, causes and remedies") {
    std::set<std::string_view> titles;
    for (const Explanation& row : explanations()) {
        CAPTURE(row.title);
        CHECK(titles.insert(row.title).second);
        CHECK(row.title.size() <= 60);
        CHECK(row.meaning.ends_with('.'));
        CHECK(row.meaning.find(". ") == row.meaning.npos);
        CHECK_FALSE(row.causes.empty());
        CHECK_FALSE(row.remedies.empty());
        for (const std::string_view text :
             {row.title, row.meaning, row.causes, row.remedies, row.sayings}) {
            CHECK_FALSE(text.ends_with('\n'));
            CHECK(std::count(text.begin(), text.end(), '`') % 2 == 0);
            for (const std::string_view line : split(text, '\n')) {
                CHECK(printable(line, 4096) == line);
                CHECK(trim(line) == line);
                CHECK((text.empty() || !line.empty()));
            }
        }
        // Words of programs are theirs, without our marks.
        CHECK(row.sayings.find('`') == row.sayings.npos);
        // A row that is not a code is there for what a program prints.
        CHECK((row.code || !row.sayings.empty()));
        // "liveness probe" is what Kubernetes calls something else.
        for (const std::string_view text : {row.title, row.meaning, row.causes, row.remedies})
            CHECK(to_lower(text).find("probe failed") == std::string::npos);
    }
}

TEST_CASE("sayings of status codes are of codes that there are") {
    for (const StatusSaying& row : status_sayings()) {
        CAPTURE(row.saying);
        CHECK(probe::find_diagnosis(row.library, row.code));
    }
}

TEST_CASE("explanations fit a terminal of 80 columns") {
    const auto check = [](const std::string& text) {
        for (const std::string_view line : split(text, '\n')) {
            CAPTURE(line);
            // What a program prints stays in one piece, so that it can be compared.
            CHECK((line.size() <= 80 || line.starts_with("    ")));
        }
    };
    for (const Explanation& row : explanations()) check(render_text(row) + render_line(row));
    for (const probe::Diagnosis& row : probe::diagnosis_table())
        check(render_text(row) + render_line(row));
}

TEST_CASE("gantry-diagnosis(7) as committed is the table's") {
    INFO("after a change of lib/diagnosis or lib/probe/diagnosis_table.cpp: ninja diagnosis-page");
    CHECK(file_text("hook/man/gantry-diagnosis.7") == render_man_page());
}

TEST_CASE("the page has no line that mdoc would take for a request") {
    const std::regex request(R"(\.(Dd|Dt|Os|Sh|Nm|Nd|Pp|Xr|Dq|Pa|Pq|Ql|Bl|It|El|Ic|Qq|\\").*)");
    const std::string page = render_man_page();
    for (const std::string_view line : split(page, '\n')) {
        CAPTURE(line);
        CHECK((!line.starts_with('.') ||
               std::regex_match(line.begin(), line.end(), request)));
        CHECK_FALSE(line.starts_with('\''));
    }
}
