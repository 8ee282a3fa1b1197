#include "app/container_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kIdColumns = 14;       // "0123456789ab", as engines show an id
constexpr std::size_t kVerdictColumns = 16;  // "NO_GPU_LIBRARY"
constexpr std::size_t kTookColumns = 9;      // "20000 ms"

std::string padded(std::string text, std::size_t columns) {
    text.resize(std::max(columns, text.size() + 1), ' ');
    return text;
}

// Long hexadecimal ids are told apart by their beginning.
std::string short_id(const std::string& id) {
    const bool generated = id.size() == 64 && id.find_first_not_of("0123456789abcdef") ==
                                                  std::string::npos;
    return printable(generated ? id.substr(0, 12) : id, 64);
}

std::string variables(const Record& record) {
    std::vector<std::string> set;
    for (const oci::EnvEdit& edit : record.env)
        if (edit.value) set.push_back(edit.name + "=" + *edit.value);
    return join(set, " ");
}

std::int64_t milliseconds(const Story& story) { return (story.microseconds() + 500) / 1000; }

}  // namespace

std::string render_container_table(const std::vector<RecordedContainer>& containers) {
    if (containers.empty()) return "No container has a GPU by Gantry.\n";
    std::string table = padded("CONTAINER", kIdColumns) + padded("VERDICT", kVerdictColumns) +
                        padded("TOOK", kTookColumns) + "GPU\n";
    const std::string indent(kIdColumns + kVerdictColumns + kTookColumns, ' ');
    for (const auto& [record, story] : containers) {
        std::string line = padded(short_id(record.id), kIdColumns) +
                           padded(record.verdict, kVerdictColumns) +
                           padded(std::to_string(milliseconds(story)) + " ms", kTookColumns);
        for (const std::string& gpu : record.gpus) {
            table += line + gpu + "\n";
            line = indent;
        }
        // NVIDIA_VISIBLE_DEVICES=none: driver files and no GPU.
        if (record.gpus.empty()) table += line + "-\n";
        if (const std::string set = variables(record); !set.empty()) table += indent + set + "\n";
        if (!story.pod.empty()) table += indent + "pod " + story.pod + "\n";
        if (!story.warnings.empty())
            table += indent + std::to_string(story.warnings.size()) +
                     (story.warnings.size() == 1 ? " warning" : " warnings") +
                     ": gantryctl why " + short_id(record.id) + "\n";
    }
    return table;
}

std::string render_container_json(const std::vector<RecordedContainer>& containers) {
    json list = json::array();
    for (const auto& [record, story] : containers) {
        json env = json::object();
        for (const oci::EnvEdit& edit : record.env)
            if (edit.value) env[edit.name] = *edit.value;
        list.push_back({{"id", record.id},
                        {"root", record.root},
                        {"runtime", record.runtime.path},
                        {"bundle", record.bundle},
                        {"verdict", record.verdict},
                        {"milliseconds", milliseconds(story)},
                        {"pod", story.pod},
                        {"gpus", record.gpus},
                        {"env", env},
                        {"warnings", story.warnings}});
    }
    return json{{"containers", list}}.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::app
