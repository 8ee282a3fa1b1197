#include "diagnosis/render_man.hpp"

#include "base/text.hpp"
#include "diagnosis/look_up.hpp"

namespace gantry::diagnosis {
namespace {

constexpr const char* kHead = R"(.\" Made from lib/diagnosis by the target diagnosis-page; change it there.
.Dd November 30, 2026
.Dt GANTRY-DIAGNOSIS 7
.Os Gantry
.Sh NAME
.Nm gantry-diagnosis
.Nd errors of GPUs in containers, their causes and remedies
.Sh DESCRIPTION
Every refusal of Gantry is one line of at most 500 bytes: a code, what happened to which thing, and
what to do.
A code keeps its meaning from version to version.
The hundreds say where to look: 1 Gantry's own set-up and the bundle, 2 the request, 3 the host, 4 the
GPU check.
.Pp
The line is on the standard error of
.Xr gantry-runtime 8
and in the engine's log of the container; Docker and containerd show it after
.Dq OCI runtime create failed .
It is also in
.Pa /var/log/gantry.log
and in the system's log
.Pq Ql journalctl -t gantry ,
together with warnings and verdicts that engines do not show.
.Ql gantryctl why
shows the newest failure with all that led to it.
.Pp
System errors stand in it in Gantry's words with their name, like
.Dq does not exist (ENOENT) :
engines take the usual texts for a wrong command of the image.
.Pp
.Ql gantryctl explain
has all of this page, and finds it by a code or by words that a program printed.
)";

struct Section {
    unsigned hundreds;  // 0: rows without a code
    const char *title, *introduction;
};
constexpr Section kSections[] = {
    {1, "SET-UP AND BUNDLE", ""},
    {2, "REQUEST", ""},
    {3, "HOST", ""},
    {4, "GPU CHECK",
     "With\n.Ic probe.policy\n.Qq warn\nthese are warnings in Gantry's log and the container "
     "starts.\n"},
    {0, "WHAT GANTRY DOES NOT REFUSE",
     "Errors that a program in the container prints, of causes that Gantry cannot see or does not "
     "take for broken.\n"},
};

// Text as mdoc: backslashes spelt out, and what is in backticks bold.
std::string escaped(std::string_view text) {
    std::string out;
    bool bold = false;
    for (const char c : text) {
        if (c == '`') {
            out += bold ? "\\fR" : "\\fB";
            bold = !bold;
        } else if (c == '\\') {
            out += "\\e";
        } else if (c == '-' && bold) {
            out += "\\-";
        } else {
            out += c;
        }
    }
    // A dot or an apostrophe that begins a line would be a request.
    return (out.starts_with('.') || out.starts_with('\'') ? "\\&" : "") + out + "\n";
}

void add_list(std::string& out, const char* heading, std::string_view lines, const char* kind) {
    if (lines.empty()) return;
    out += std::string(".Pp\n") + heading + "\n.Bl " + kind + " -compact\n";
    for (const std::string_view line : split(lines, '\n')) out += ".It\n" + escaped(line);
    out += ".El\n";
}

void add_statuses(std::string& out) {
    out += ".Pp\nStatus codes that mean something in a container:\n"
           ".Bl -tag -width \"CUDA 999\" -compact\n";
    for (const probe::Diagnosis& status : probe::diagnosis_table())
        out += ".It " + status_number(status) + "\n" + escaped(std::string(status.name) + ": " +
               std::string(status.action)) + escaped(status.cause) +
               (status.call.empty() ? "" : escaped("Of `" + std::string(status.call) + "`."));
    out += ".El\n";
}

void add_row(std::string& out, const Explanation& row) {
    out += ".It " + (row.code ? to_string(*row.code) : std::string(row.title)) + "\n" +
           escaped(row.meaning);
    add_list(out, "Causes:", row.causes, "-bullet");
    add_list(out, "What to do:", row.remedies, "-dash");
    add_list(out, "Programs then print:", row.sayings, "-item -offset indent");
    if (row.code == Code::ProbeLibraryFailed) add_statuses(out);
}

}  // namespace

std::string render_man_page() {
    std::string out = kHead;
    for (const Section& section : kSections) {
        out += std::string(".Sh ") + section.title + "\n" + section.introduction +
               ".Bl -tag -width GTY-000\n";
        for (const Explanation& row : explanations())
            if ((row.code ? static_cast<unsigned>(*row.code) / 100 : 0) == section.hundreds)
                add_row(out, row);
        out += ".El\n";
    }
    return out + ".Sh SEE ALSO\n.Xr gantryctl 1 ,\n.Xr gantry.toml 5 ,\n.Xr gantry-hook 8 ,\n"
                 ".Xr gantry-runtime 8\n";
}

}  // namespace gantry::diagnosis
