#include "probe/verdict.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probe/foreign_text.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

Verdict failed(Error error) {
    Verdict verdict;
    verdict.outcome = outcome_of(error.code);
    verdict.summary = error.message;
    verdict.error = std::move(error);
    return verdict;
}

// The loader of the image exits by itself where it lacks what the dynamic part
// needs (a musl loader under glibc's name does); no GPU library was tried then.
bool loader_refused(const RunOutcome& run, const Report& report) {
    return !report.ended && !report.loader && report.last_stage == kStageLoader &&
           run.exit_code == kLoaderRefused && !run.deadline_passed;
}

std::string nodes_text(const Expectation& expectation) {
    const std::size_t count = expectation.nodes.size();
    return std::to_string(count) + (count == 1 ? " node" : " nodes") +
           (expectation.simulated ? " present" : " opened");
}

Verdict judge_libraries(const Expectation& expectation, const Report& report,
                        const RunOutcome& run, bool no_loader) {
    std::vector<LibraryJudgement> judgements;
    if (no_loader) {
        judgements.push_back(judge_no_loader(report));
    } else {
        if (!expectation.nvidia.empty())
            judgements.push_back(judge_nvidia(expectation, report, run.products));
        if (!expectation.amd.empty())
            judgements.push_back(judge_amd(expectation, report, run.products));
    }

    Verdict verdict;
    verdict.outcome = expectation.simulated ? Outcome::Simulated : Outcome::Pass;
    std::vector<std::string> parts = {nodes_text(expectation)};
    for (LibraryJudgement& judgement : judgements) {
        std::ranges::move(judgement.gpus, std::back_inserter(verdict.gpus));
        // Of two vendors the one that is proven broken counts.
        if (judgement.error && (!verdict.error || !row_of(verdict.outcome).refuses)) {
            verdict.outcome = outcome_of(judgement.error->code);
            verdict.error = std::move(judgement.error);
        }
        if (!judgement.summary.empty()) parts.push_back(std::move(judgement.summary));
    }
    if (verdict.error && row_of(verdict.outcome).refuses) parts = {verdict.error->message};
    if (expectation.simulated) parts.push_back("simulated host, nothing proven of hardware");
    for (const std::string& note : report.notes) {
        if (parts.size() >= 8) break;
        parts.push_back(foreign_text(note, 80));
    }
    verdict.summary = join(parts, "; ");
    return verdict;
}

// "AMD GPU 0 and 7 more" of "AMD GPU 0 (RX 6700 XT) and 7 more": the number tells
// which one, the model is for the details.
std::string without_model(const std::string& title) {
    const std::size_t begin = title.find(" ("), end = title.rfind(')');
    if (begin == title.npos || end == title.npos || end < begin) return title;
    return title.substr(0, begin) + title.substr(end + 1);
}

// Takes "(EACCES)" from the end of a text, and gives it back without parentheses.
std::string take_name(std::string& what) {
    const std::size_t begin = what.rfind(" ("), end = what.find(')', begin);
    if (begin == what.npos || end == what.npos) return "";
    std::string name = what.substr(begin + 2, end - begin - 2);
    what.erase(begin, end + 1 - begin);
    return name;
}

// "PREFIX: GPU: WHAT; ACTION" within the headline, and the rest behind it. Where
// it is too long the error's name goes to the details, before the GPU would.
Error check_error(const char* prefix, Code code, const std::string& gpu, std::string what,
                  const std::string& action, const std::string& details) {
    const std::string title = foreign_text(gpu, 80), number = without_model(title);
    const std::size_t room = kHeadlineBytes - to_string(code).size() - 2;
    const auto headline = [&](const std::string& name) {
        return prefix + (": " + (name.empty() ? "" : name + ": ") + what + "; " + action);
    };
    std::string named = headline(number), rest = details;
    if (named.size() > room)
        if (const std::string whole = what, name = take_name(what); !name.empty()) {
            named = headline(number);
            if (named.size() <= room)
                rest = name + ": " + details;
            else
                what = whole;
        }
    const bool fits = named.size() <= room;
    const Error error{code, fits ? named : headline(""), rest};
    if (title.empty() || (fits && number == title)) return error;
    const Error whole{code, error.message, sentences({"It is " + title + ".", rest})};
    return whole.text().ends_with("...") ? error : whole;
}

}  // namespace

Error check_failed(Code code, const std::string& gpu, const std::string& what,
                   const std::string& action, const std::string& details) {
    return check_error("GPU check failed", code, gpu, what, action, details);
}

Error check_warned(Code code, const std::string& gpu, const std::string& what,
                   const std::string& action, const std::string& details) {
    return check_error("GPU check", code, gpu, what, action, details);
}

std::string name_gpus(const Expectation& expectation, Whose whose) {
    std::vector<std::string> titles;
    for (const ExpectedNode& node : expectation.nodes) {
        const bool amd = node.role == NodeRole::AmdKfd || node.role == NodeRole::AmdRender;
        if (node.gpu.empty() || (whose != Whose::All && amd != (whose == Whose::Amd))) continue;
        if (std::ranges::find(titles, node.gpu) == titles.end()) titles.push_back(node.gpu);
    }
    if (titles.size() < 2) return titles.empty() ? "" : titles.front();
    return titles.front() + " and " + std::to_string(titles.size() - 1) + " more";
}

std::string sentences(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        if (part.empty()) continue;
        if (!text.empty()) text += ' ';
        text += part;
    }
    return text;
}

Verdict judge(const Expectation& expectation, const RunOutcome& run) {
    if (run.interrupted_by != 0) {
        Verdict verdict;
        verdict.error = judge_interrupted(run);
        verdict.summary = verdict.error->message;
        return verdict;
    }
    Result<Report> parsed = run.report_overflow
                                ? fail(Code::ProbeGarbled, "its report is longer than it can be")
                                : parse_report(run.report_text);
    if (!parsed)
        return failed(check_failed(Code::ProbeGarbled, name_gpus(expectation, Whose::All),
                                   "its report makes no sense",
                                   "see what else writes there",
                                   foreign_text(parsed.error().message, 160) +
                                       ". Something in the image speaks in the check's name, or "
                                       "gantry-probe is of another version."));
    const Report& report = *parsed;
    if (!report.began || (run.runtime_killed && !report.ended)) {
        Verdict verdict;
        verdict.outcome = Outcome::TwinFailed;
        verdict.error = judge_no_begin(run);
        verdict.summary = verdict.error->message;
        return verdict;
    }

    // A stuck process outranks all: it stays on the machine. Then the nodes: one
    // that is refused explains whatever the libraries did next.
    const std::optional<Error> ending = judge_ending(expectation, run, report);
    if (ending && run.unkillable) return failed(*ending);
    if (auto error = judge_nodes(expectation, report)) return failed(std::move(*error));
    const bool no_loader =
        loader_refused(run, report) || (report.ended && report.loader == false);
    if (ending && !no_loader) return failed(*ending);
    if (!names_all_nodes(expectation, report))
        return failed(check_failed(Code::ProbeGarbled, name_gpus(expectation, Whose::All),
                                   "its report leaves out a node",
                                   "reinstall gantry-probe",
                                   "Every granted node must be named in it."));
    return judge_libraries(expectation, report, run, no_loader);
}

}  // namespace gantry::probe
