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
    verdict.outcome = Outcome::Fail;
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

Verdict judge_libraries(const Expectation& expectation, const Report& report, bool no_loader) {
    std::vector<LibraryJudgement> judgements;
    if (no_loader) {
        judgements.push_back(judge_no_loader(report));
    } else {
        if (expectation.nvidia_gpus > 0) judgements.push_back(judge_nvidia(expectation, report));
        if (expectation.amd_gpus > 0) judgements.push_back(judge_amd(expectation, report));
    }

    Verdict verdict;
    verdict.outcome = expectation.simulated ? Outcome::Simulated : Outcome::Pass;
    std::vector<std::string> parts = {nodes_text(expectation)};
    for (LibraryJudgement& judgement : judgements) {
        if (judgement.outcome == Outcome::Fail) return failed(std::move(*judgement.error));
        if (judgement.outcome == Outcome::NoLibrary) {
            verdict.outcome = Outcome::NoLibrary;
            verdict.error = std::move(judgement.error);
        }
        parts.push_back(std::move(judgement.summary));
    }
    if (expectation.simulated) parts.push_back("simulated host, nothing proven of hardware");
    for (const std::string& note : report.notes) {
        if (parts.size() >= 8) break;
        parts.push_back(foreign_text(note, 80));
    }
    verdict.summary = join(parts, "; ");
    return verdict;
}

}  // namespace

Error check_failed(Code code, const std::string& gpu, const std::string& what,
                   const std::string& action, const std::string& details) {
    const std::string title = foreign_text(gpu, 80);
    const std::size_t model = title.find(" (");
    const std::string end = what + "; " + action;
    const std::size_t room = kHeadlineBytes - to_string(code).size() - 2;
    Error error{code, "GPU check failed: " + end, details};
    // The number alone tells which one; the model is for the details.
    const std::string named =
        "GPU check failed: " + title.substr(0, model) + ": " + end;
    if (title.empty()) return error;
    if (named.size() <= room) error.message = named;
    if (named.size() > room || model != std::string::npos) {
        Error whole = error;
        whole.remedy = sentences({"It is " + title + ".", details});
        if (!whole.text().ends_with("...")) error = std::move(whole);
    }
    return error;
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
    Result<Report> parsed = run.report_overflow
                                ? fail(Code::ProbeGarbled, "its report is longer than 64 KiB")
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
    return judge_libraries(expectation, report, no_loader);
}

std::string to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::Pass: return "PASS";
        case Outcome::Simulated: return "SIMULATED";
        case Outcome::NoLibrary: return "NO_GPU_LIBRARY";
        case Outcome::Fail: return "FAIL";
        case Outcome::TwinFailed: return "TWIN_FAILED";
    }
    return "FAIL";
}

}  // namespace gantry::probe
