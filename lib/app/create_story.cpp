#include "app/create_story.hpp"

#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 200;
constexpr std::size_t kMostLineBytes = 600;
constexpr std::size_t kMostBytes = std::size_t{24} << 10;  // of one list
constexpr std::size_t kMostNameBytes = 253;                // of a pod (Kubernetes)

struct PodAnnotations {
    const char *name_space, *pod, *container;
};
constexpr PodAnnotations kPodAnnotations[] = {
    {"io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name",
     "io.kubernetes.cri.container-name"},
    {"io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name"},
};

json bounded(const std::vector<std::string>& lines) {
    json list = json::array();
    std::size_t bytes = 0;
    for (const std::string& line : lines) {
        bytes += std::min(line.size(), kMostLineBytes);
        if (list.size() == kMostLines || bytes > kMostBytes) {
            list.push_back("... and " + std::to_string(lines.size() - list.size()) + " more");
            break;
        }
        list.push_back(line.size() <= kMostLineBytes ? line : line.substr(0, kMostLineBytes) + "...");
    }
    return list;
}

std::vector<std::string> strings(const json& document, const char* key) {
    std::vector<std::string> list;
    if (const auto found = document.find(key); found != document.end() && found->is_array())
        for (const json& entry : *found)
            if (entry.is_string()) list.push_back(entry);
    return list;
}

std::string text(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t number(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

void Story::enter(std::string step) {
    end();
    if (time == 0) time = static_cast<std::int64_t>(std::time(nullptr));
    steps.push_back({std::move(step), 0});
    entered_ = std::chrono::steady_clock::now();
    open_ = true;
}

void Story::end() {
    if (!open_) return;
    open_ = false;
    steps.back().microseconds = std::chrono::duration_cast<std::chrono::microseconds>(
                                    std::chrono::steady_clock::now() - entered_)
                                    .count();
}

std::int64_t Story::microseconds() const {
    std::int64_t sum = 0;
    for (const StoryStep& step : steps) sum += step.microseconds;
    return sum;
}

std::string Story::gpu_text() const {
    if (gpus.size() < 2) return gpus.empty() ? "" : gpus.front();
    return gpus.front() + " and " + std::to_string(gpus.size() - 1) + " more";
}

void name_pod(Story& story, const oci::SpecView& spec) {
    const auto value = [&](const char* key) {
        const auto found = spec.annotations.find(key);
        return found == spec.annotations.end() ? "" : printable(found->second, kMostNameBytes);
    };
    for (const PodAnnotations& keys : kPodAnnotations) {
        const std::string pod = value(keys.pod);
        if (pod.empty()) continue;
        const std::string name_space = value(keys.name_space);
        story.pod = name_space.empty() ? pod : name_space + "/" + pod;
        story.container = value(keys.container);
        return;
    }
}

std::string render_story(const Story& story) {
    json steps = json::array();
    for (const StoryStep& step : story.steps)
        steps.push_back({{"step", step.name}, {"microseconds", step.microseconds}});
    const json document = {{"time", story.time},
                           {"pod", story.pod},
                           {"container", story.container},
                           {"gpus", bounded(story.gpus)},
                           {"verdict", story.verdict},
                           {"summary", story.summary},
                           {"steps", steps},
                           {"warnings", bounded(story.warnings)},
                           {"reasons", bounded(story.reasons)}};
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Story> parse_story(const std::string& line) {
    const json document = json::parse(line, nullptr, false);
    if (!document.is_object()) return std::nullopt;
    Story story;
    story.time = number(document, "time");
    story.pod = text(document, "pod");
    story.container = text(document, "container");
    story.gpus = strings(document, "gpus");
    story.verdict = text(document, "verdict");
    story.summary = text(document, "summary");
    story.warnings = strings(document, "warnings");
    story.reasons = strings(document, "reasons");
    if (const auto steps = document.find("steps"); steps != document.end() && steps->is_array())
        for (const json& step : *steps)
            if (step.is_object())
                story.steps.push_back({text(step, "step"), number(step, "microseconds")});
    return story;
}

}  // namespace gantry::app
