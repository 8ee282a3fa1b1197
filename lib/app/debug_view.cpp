#include "app/debug_view.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMaxShownOutput = 4000;

std::string heading(const std::string& name, bool colour) {
    return colour ? "\033[1m" + name + "\033[0m\n" : name + "\n";
}

// Long texts are broken at blanks and go on two columns further in.
std::string wrap(const std::string& text, std::size_t indent) {
    std::string out, line(indent, ' ');
    bool empty = true;
    for (const std::string_view word : split(text, ' ')) {
        if (!empty && line.size() + 1 + word.size() > kColumns) {
            out += line + "\n";
            line.assign(indent + 2, ' ');
            empty = true;
        }
        if (!empty) line += ' ';
        line += word;
        empty = false;
    }
    return out + line + "\n";
}

std::string vendor_line(const char* vendor, const request::VendorRequest& request) {
    const std::string name = vendor;
    switch (request.source) {
        case request::Source::None: return name + ": nothing asked for";
        case request::Source::Environment:
            return name + ": " + request.variable + "=" + printable(request.value);
        case request::Source::SpecDevices:
            return name + ": " + std::to_string(request.devices.size()) +
                   " device nodes that the engine put into the spec";
    }
    return name;
}

std::string facts_text(const DebugResult& result) {
    return render_table(*result.inventory) + wrap("low-level runtime: " + result.runtime, 2);
}

std::string difference_text(const DebugResult& result) {
    if (result.difference.empty()) return "  none: config.json keeps every byte\n";
    std::string out;
    for (const std::string& line : result.difference) out += wrap(line, 2);
    return out;
}

std::string process_text(const DebugResult& result) {
    std::string out = wrap(result.process, 2);
    for (const std::string_view line :
         split(trim(std::string_view(result.output).substr(0, kMaxShownOutput)), '\n'))
        out += "  | " + printable(line, kColumns - 8) + "\n";
    return out;
}

json verdict_json(const probe::Verdict& verdict) {
    json document = {{"outcome", to_string(verdict.outcome)}, {"summary", verdict.summary}};
    if (verdict.error) document["message"] = verdict.error->text();
    return document;
}

json vendor_json(const request::VendorRequest& request) {
    constexpr const char* kSources[] = {"none", "environment", "devices"};
    return {{"source", kSources[static_cast<int>(request.source)]},
            {"variable", request.variable},
            {"value", request.value}};
}

}  // namespace

std::string render_step(const char* name, const DebugResult& result, bool colour) {
    const std::string step = name;
    std::string out = heading(step, colour);
    if (step == "facts") return out + facts_text(result);
    if (step == "request") {
        out += wrap(vendor_line("AMD", result.request->amd), 2);
        out += wrap(vendor_line("NVIDIA", result.request->nvidia), 2);
        for (const std::string& notice : result.request->notices) out += wrap("note: " + notice, 2);
        return out;
    }
    if (step == "plan") {
        const std::string text = render_text(*result.plan);
        return out + (text.empty() ? "  nothing to do\n" : text);
    }
    if (step == "difference") return out + difference_text(result);
    if (step == "verdict")
        return out + wrap(std::string(to_string(result.verdict->outcome)) + " after " +
                              std::to_string(result.check_time.count()) +
                              " ms: " + result.verdict->summary, 2);
    if (step == "create") return out + wrap(*result.create, 2);
    if (step == "start") return out + wrap(*result.start, 2);
    if (step == "process") return out + process_text(result);
    if (step == "clean-up") return out + wrap(result.clean_up, 2);
    return out + wrap(result.no_run_reason, 2);
}

std::string render_ending(const DebugResult& result, bool colour) {
    std::string verdict = "no verdict";
    std::string words;
    if (result.verdict) {
        verdict = to_string(result.verdict->outcome);
        words = result.verdict->error ? result.verdict->error->text() : result.verdict->summary;
    }
    if (result.error) words = result.error->text();
    std::string out = heading("verdict: " + verdict, colour);
    if (!words.empty()) out += wrap(words, 2);
    if (result.inventory && result.inventory->simulated)
        out += wrap("Nothing is proven of any hardware: the host is simulated.", 2);
    return out;
}

std::string render_debug_json(const DebugResult& result) {
    json document = {{"runtime", result.runtime}};
    if (result.inventory)
        document["inventory"] = json::parse(render_json(*result.inventory), nullptr, false);
    if (result.request)
        document["request"] = {{"amd", vendor_json(result.request->amd)},
                               {"nvidia", vendor_json(result.request->nvidia)},
                               {"notices", result.request->notices}};
    if (result.plan) document["plan"] = json::parse(render_json(*result.plan), nullptr, false);
    document["difference"] = result.difference;
    if (!result.no_run_reason.empty()) document["notRun"] = result.no_run_reason;
    if (result.verdict) {
        document["verdict"] = verdict_json(*result.verdict);
        document["verdict"]["milliseconds"] = result.check_time.count();
    }
    if (result.create) document["create"] = *result.create;
    if (result.start) document["start"] = *result.start;
    if (!result.process.empty())
        document["process"] = {{"ending", result.process}, {"output", result.output}};
    if (!result.clean_up.empty()) document["cleanUp"] = result.clean_up;
    if (result.error) document["error"] = result.error->text();
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::app
