#include "app/why.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

std::string time_text(std::int64_t seconds, const char* format) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm utc{};
    char text[64] = "";
    if (::gmtime_r(&time, &utc)) std::strftime(text, sizeof text, format, &utc);
    return text;
}

bool is_named(const Account& account, const std::string& wanted) {
    const std::string& pod = account.story.pod;
    return account.id == wanted || pod == wanted ||
           pod.substr(pod.find('/') + 1) == wanted || account.story.container == wanted;
}

std::string heading(const Account& account) {
    std::string text = "container " + printable(account.id, 128);
    if (!account.story.pod.empty()) text += ", pod " + account.story.pod;
    if (!account.story.container.empty()) text += ", " + account.story.container + " in it";
    return text;
}

std::string outcome(const Account& account) {
    if (account.error) return "refused (" + to_string(account.error->code) + ")";
    return account.story.verdict.empty() ? "started" : account.story.verdict;
}

void add_lines(std::string& out, const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += std::string("\n") + title + "\n";
    for (const std::string& line : lines) out += "  " + printable(line, 1000) + "\n";
}

}  // namespace

std::vector<Account> list_accounts(const std::string& state_folder) {
    std::vector<Account> accounts;
    for (RecordedContainer& live : list_live_containers(state_folder))
        accounts.push_back({live.record.root, live.record.id, live.record.bundle,
                            live.record.runtime.path, std::nullopt, std::move(live.story)});
    for (Failure& failure : list_failures(state_folder))
        accounts.push_back({failure.root, failure.id, failure.bundle, failure.runtime,
                            std::move(failure.error), std::move(failure.story)});
    std::ranges::stable_sort(accounts, std::ranges::greater{},
                             [](const Account& account) { return account.story.time; });
    return accounts;
}

std::vector<Account> choose_accounts(const std::vector<Account>& all, const std::string& wanted) {
    if (wanted.empty()) {
        const auto newest =
            std::ranges::find_if(all, [](const Account& account) { return account.error.has_value(); });
        return newest == all.end() ? std::vector<Account>{} : std::vector<Account>{*newest};
    }
    std::vector<Account> chosen;
    for (const bool whole : {true, false}) {
        std::set<std::pair<std::string, std::string>> seen;
        for (const Account& account : all) {
            const bool named = whole ? is_named(account, wanted) : account.id.starts_with(wanted);
            if (named && seen.emplace(account.root, account.id).second) chosen.push_back(account);
        }
        if (!chosen.empty()) break;
    }
    return chosen;
}

std::string render_account(const Account& account) {
    const Story& story = account.story;
    std::string out = heading(account) + "\n";
    out += "  " + time_text(story.time, "%Y-%m-%d %H:%M:%S UTC") + "\n";
    out += "  bundle   " + printable(account.bundle, 500) + "\n";
    out += "  runtime  " + (account.runtime.empty() ? "-" : printable(account.runtime, 500)) + "\n";
    for (const std::string& gpu : story.gpus) out += "  GPU      " + printable(gpu, 200) + "\n";
    out += "  outcome  " + outcome(account) + "\n";
    if (!story.summary.empty()) out += "           " + printable(story.summary, 1000) + "\n";

    if (!story.steps.empty()) out += "\nsteps\n";
    for (const StoryStep& step : story.steps) {
        char line[128];
        std::snprintf(line, sizeof line, "  %-10s %9.1f ms", printable(step.name, 40).c_str(),
                      static_cast<double>(step.microseconds) / 1000);
        out += line;
        if (account.error && &step == &story.steps.back()) out += "  ended here";
        out += "\n";
    }
    if (account.error) {
        // Whole: the line for the engine is cut where engines cut.
        std::string whole = to_string(account.error->code) + ": " + account.error->message;
        std::vector<std::string> lines = {whole};
        if (!account.error->remedy.empty()) lines.push_back(account.error->remedy);
        add_lines(out, "error", lines);
        out += "  More: gantryctl explain " + to_string(account.error->code) + "\n";
    }
    add_lines(out, "warnings", story.warnings);
    add_lines(out, "what was planned, and why", story.reasons);
    return out;
}

std::string render_account_json(const Account& account) {
    json document = {{"id", account.id},
                     {"root", account.root},
                     {"bundle", account.bundle},
                     {"runtime", account.runtime},
                     {"outcome", account.error ? "REFUSED" : account.story.verdict}};
    if (account.error)
        document["error"] = {{"code", to_string(account.error->code)},
                             {"message", account.error->message},
                             {"remedy", account.error->remedy}};
    document["story"] = json::parse(render_story(account.story), nullptr, false);
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string render_account_lines(const std::vector<Account>& accounts) {
    std::string out;
    for (const Account& account : accounts)
        out += "  " + time_text(account.story.time, "%H:%M:%S") + "  " + heading(account) + ": " +
               outcome(account) + "\n";
    return out;
}

}  // namespace gantry::app
