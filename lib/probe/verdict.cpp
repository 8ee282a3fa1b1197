#include "probe/verdict.hpp"

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

Error check_failed(Code code, const std::string& what, const std::string& action,
                   const std::string& details) {
    return {code, "GPU check failed: " + what + "; " + action, details};
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
        return failed(check_failed(Code::ProbeGarbled, "its report makes no sense",
                                   "see what else writes there",
                                   foreign_text(parsed.error().message, 160) +
                                       ". Something in the image speaks in the check's name, or "
                                       "gantry-probe is of another version."));
    const Report& report = *parsed;
    if (!report.began) {
        Verdict verdict;
        verdict.outcome = Outcome::TwinFailed;
        verdict.error = judge_no_begin(run);
        verdict.summary = verdict.error->message;
        return verdict;
    }

    // A stuck process outranks all: it stays on the machine. Then the nodes: one
    // that is refused explains whatever the libraries did next.
    const std::optional<Error> ending = judge_ending(run, report);
    if (ending && run.unkillable) return failed(*ending);
    if (auto error = judge_nodes(expectation, report)) return failed(std::move(*error));
    const bool no_loader =
        loader_refused(run, report) || (report.ended && report.loader == false);
    if (ending && !no_loader) return failed(*ending);
    if (!names_all_nodes(expectation, report))
        return failed(check_failed(Code::ProbeGarbled, "its report leaves out a node",
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
