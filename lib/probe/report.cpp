#include "probe/protocol.hpp"
#include "probe/report_rules.hpp"

namespace gantry::probe {
namespace {

// One function per line word: takes the line's fields, word included, and says
// whether the line is of the protocol. Field counts are checked before.

bool on_begin(Report& report, const Fields& f) {
    unsigned version = 0;
    report.began = take(f[1], version) && version == kProtocolVersion;
    return report.began;
}

bool on_process(Report& report, const Fields& f) {
    if (report.process) return false;
    ProcessReport process;
    if (!take(f[1], process.uid) || !take(f[2], process.gid)) return false;
    if (f[3] != "-")
        for (const std::string_view group : split(f[3], ','))
            if (!take(group, process.groups.emplace_back())) return false;
    report.process = std::move(process);
    return true;
}

bool on_variable(Report& report, const Fields& f) {
    for (const auto& [name, value] : report.variables)
        if (name == f[1]) return false;
    report.variables.emplace_back(f[1], f[2]);
    return !f[1].empty();
}

bool on_stage(Report& report, const Fields& f) {
    report.last_stage = f[1];
    if (f.size() == 2) return !f[1].empty();
    GpuReport* const gpu = f.size() == 4 ? gpu_of(report, f[2], f[3]) : nullptr;
    if (gpu) gpu->last_stage = f[1];
    return gpu && !f[1].empty();
}

bool on_node(Report& report, const Fields& f) {
    NodeReport node;
    node.path = f[1];
    const auto mode = parse_octal(f[4]);
    if (node.path.empty() || !mode || *mode > 07777) return false;
    node.mode = static_cast<std::uint32_t>(*mode);
    if (!take(f[2], node.major) || !take(f[3], node.minor) || !take(f[5], node.uid) ||
        !take(f[6], node.gid) || !take(f[7], node.open_errno) ||
        !take_signed(f[8], node.ioctl_errno) || node.ioctl_errno < -1)
        return false;
    for (const NodeReport& known : report.nodes)
        if (known.path == node.path) return false;
    report.nodes.push_back(std::move(node));
    return true;
}

bool on_nodev(Report& report, const Fields& f) {
    if (report.nodes.empty() || report.nodes.back().path != f[1] || report.nodes.back().nodev)
        return false;
    return report.nodes.back().nodev = true;
}

bool on_loader(Report& report, const Fields& f) {
    if (report.loader) return false;
    report.loader = f[1] == "yes";
    if (*report.loader) return f.size() == 2;
    return f[1] == "no" && f.size() == 3 && take(f[2], report.loader_errno);
}

bool on_library(Report& report, const Fields& f) {
    LibraryReport* const library = library_of(report, f[1]);
    return library && take_text(f[2], library->path);
}

bool on_fake(Report& report, const Fields& f) {
    LibraryReport* const library = library_of(report, f[1]);
    if (!library || library->fake) return false;
    return library->fake = true;
}

bool on_missing(Report& report, const Fields& f) {
    LibraryReport* const library = library_of(report, f[1]);
    return library && take_text(f[2], library->missing);
}

bool on_failed(Report& report, const Fields& f) {
    if (f.size() == 6) {
        GpuReport* const gpu = gpu_of(report, f[1], f[5]);
        return gpu && take_failed(f, gpu->failed);
    }
    LibraryReport* const library = library_of(report, f[1]);
    return library && take_failed(f, library->failed);
}

bool on_devices(Report& report, const Fields& f) {
    LibraryReport* const library = library_of(report, f[1]);
    unsigned count = 0;
    if (!library || library->devices || !take(f[2], count)) return false;
    library->devices = count;
    return true;
}

bool on_note(Report& report, const Fields& f) {
    report.notes.emplace_back(f[1]);
    return true;
}

bool on_end(Report& report, const Fields&) { return report.ended = true; }

constexpr LineRule kRules[] = {
    {"begin", 2, 2, on_begin},       {"process", 4, 4, on_process},
    {"variable", 3, 3, on_variable}, {"stage", 2, 4, on_stage},
    {"node", 9, 9, on_node},         {"loader", 2, 3, on_loader},
    {"library", 3, 3, on_library},   {"fake", 2, 2, on_fake},
    {"missing", 3, 3, on_missing},   {"failed", 5, 6, on_failed},
    {"devices", 3, 3, on_devices},   {"note", 2, 2, on_note},
    {"nodev", 2, 2, on_nodev},       {"end", 1, 1, on_end},
};

bool take_line(Report& report, std::string_view text) {
    if (text.size() >= kMaxLineBytes) return false;
    for (const char c : text)
        if (c != '\t' && line_char(c) != c) return false;
    const Fields fields = split(text, '\t');
    // Nothing comes before `begin`, nothing after `end`, and `begin` once only.
    if (report.ended || report.began == (fields[0] == "begin")) return false;
    for (const std::span<const LineRule> rules : {std::span<const LineRule>(kRules), gpu_line_rules()})
        for (const LineRule& rule : rules)
            if (rule.word == fields[0])
                return fields.size() >= rule.least && fields.size() <= rule.most &&
                       rule.take(report, fields);
    return false;
}

}  // namespace

Result<Report> parse_report(std::string_view text) {
    Report report;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            // Cut off in the middle of a line, unless no line is that long.
            if (text.size() < kMaxLineBytes) return report;
        } else if (take_line(report, text.substr(0, end))) {
            text.remove_prefix(end + 1);
            continue;
        }
        return fail(Code::ProbeGarbled, "line " + std::to_string(number) +
                                            " of its report is \"" +
                                            printable(text.substr(0, end), 60) + '"');
    }
    return report;
}

}  // namespace gantry::probe
