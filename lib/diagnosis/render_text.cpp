#include "diagnosis/render_text.hpp"

#include "base/text.hpp"

namespace gantry::diagnosis {
namespace {

constexpr std::size_t kColumns = 80;

// The first line after `first`, the others as far in as that is long.
void add_wrapped(std::string& out, const std::string& first, std::string_view text) {
    std::string line = first;
    bool begun = false;
    for (const std::string_view word : split(text, ' ')) {
        if (begun && line.size() + 1 + word.size() > kColumns) {
            out += line + "\n";
            line.assign(first.size(), ' ');
            begun = false;
        }
        if (begun) line += ' ';
        line += word;
        begun = true;
    }
    out += line + "\n";
}

void add_list(std::string& out, const char* heading, std::string_view lines, const char* mark) {
    if (lines.empty()) return;
    out += std::string("\n  ") + heading + "\n";
    for (const std::string_view line : split(lines, '\n')) add_wrapped(out, mark, line);
}

std::string name_of(const Explanation& row) { return row.code ? to_string(*row.code) : "-"; }

}  // namespace

std::string render_text(const Explanation& row) {
    std::string out = row.code ? to_string(*row.code) + "  " : "";
    out += std::string(row.title) + "\n\n";
    add_wrapped(out, "  ", row.meaning);
    add_list(out, "Causes, the usual one first:", row.causes, "    - ");
    add_list(out, "What to do:", row.remedies, "    - ");
    add_list(out, "Programs then print:", row.sayings, "    ");
    return out;
}

std::string render_text(const probe::Diagnosis& status) {
    std::string out = status_number(status) + "  " + status_name(status);
    if (!status.call.empty()) out += ", of " + std::string(status.call);
    out += "\n\n";
    add_wrapped(out, "  ", status.cause);
    out += "\n  What to do:\n";
    add_wrapped(out, "    - ", status.action);
    std::string sayings;
    for (const StatusSaying& row : status_sayings())
        if (row.library == status.library && row.code == status.code)
            sayings += (sayings.empty() ? "" : "\n") + std::string(row.saying);
    add_list(out, "Programs then print:", sayings, "    ");
    add_list(out, "Gantry then says:", to_string(status.error), "    ");
    return out;
}

std::string render_line(const Explanation& row) {
    std::string name = name_of(row);
    name.resize(9, ' ');
    return "  " + name + std::string(row.title) + "\n";
}

std::string render_line(const probe::Diagnosis& status) {
    return "  " + status_number(status) + "  " + status_name(status) + "\n";
}

}  // namespace gantry::diagnosis
