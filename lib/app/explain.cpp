#include "app/explain.hpp"

#include "base/text.hpp"
#include "diagnosis/render_text.hpp"

namespace gantry::app {
namespace {

// More than these whole would bury the right one.
constexpr std::size_t kMostWhole = 3;

}  // namespace

Explained explain(const std::string& query) {
    const diagnosis::Findings findings = diagnosis::look_up(query);
    if (!findings.found()) {
        std::string text = "Nothing is known of \"" + printable(query, 200) + "\".\n";
        if (!findings.near.empty()) text += "Near it:\n";
        for (const diagnosis::Explanation* row : findings.near) text += diagnosis::render_line(*row);
        return {false, text + "All of it: man gantry-diagnosis\n"};
    }
    std::string text;
    const bool whole = findings.explanations.size() + findings.statuses.size() <= kMostWhole;
    if (!whole) text += "Several causes are known. One by one: gantryctl explain CODE or TITLE\n\n";
    const auto add = [&](const auto& row) {
        if (whole && !text.empty()) text += "\n";
        text += whole ? diagnosis::render_text(row) : diagnosis::render_line(row);
    };
    for (const probe::Diagnosis* status : findings.statuses) add(*status);
    for (const diagnosis::Explanation* row : findings.explanations) add(*row);
    return {true, text};
}

}  // namespace gantry::app
