#include "app/failure_store.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "sys/file.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kMaxFailureBytes = std::size_t{128} << 10;
// What one create looks at, so that a folder that somebody filled holds up none.
constexpr std::size_t kMostNames = 4096;

std::string folder_of(const std::string& state_folder) { return state_folder + "/failures"; }

// Names in the order of time. The process id tells creates of one instant apart.
std::string new_name() {
    std::timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    char name[64];
    std::snprintf(name, sizeof name, "%012lld.%09ld-%ld.json", static_cast<long long>(now.tv_sec),
                  now.tv_nsec, static_cast<long>(::getpid()));
    return name;
}

// Oldest first. Names with a dot before them are what a killed writer left.
std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    DIR* stream = ::opendir(folder.c_str());
    if (!stream) return names;
    while (const dirent* entry = ::readdir(stream)) {
        const std::string name = entry->d_name;
        if (name == "." || name == ".." || names.size() == kMostNames) continue;
        names.push_back(name);
    }
    ::closedir(stream);
    std::ranges::sort(names);
    return names;
}

std::string text(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<Failure> read_failure(const std::string& path) {
    const auto file = sys::read_regular_file(path, kMaxFailureBytes, sys::Links::Refuse);
    if (!file || file->identity.uid != ::geteuid()) return std::nullopt;
    const json document = json::parse(file->text, nullptr, false);
    if (!document.is_object() || !document.contains("code") ||
        !document["code"].is_number_unsigned() || !document.contains("story"))
        return std::nullopt;
    auto story = parse_story(document["story"].dump());
    if (!story) return std::nullopt;
    Failure failure;
    failure.root = text(document, "root");
    failure.id = text(document, "id");
    failure.bundle = text(document, "bundle");
    failure.runtime = text(document, "runtime");
    failure.verb = text(document, "verb");
    failure.error = {static_cast<Code>(document["code"].get<std::uint16_t>()),
                     text(document, "message"), text(document, "remedy")};
    failure.story = std::move(*story);
    return failure;
}

}  // namespace

void keep_failure(const std::string& state_folder, const Failure& failure) {
    const std::string folder = folder_of(state_folder);
    if (!sys::make_folders(folder) || !sys::check_private_folder(state_folder) ||
        !sys::check_private_folder(folder))
        return;
    const json document = {{"version", 1},
                           {"root", failure.root},
                           {"id", failure.id},
                           {"bundle", failure.bundle},
                           {"runtime", failure.runtime},
                           {"verb", failure.verb},
                           {"code", static_cast<unsigned>(failure.error.code)},
                           {"message", failure.error.message},
                           {"remedy", failure.error.remedy},
                           {"story", json::parse(render_story(failure.story), nullptr, false)}};
    // Room first: a full folder must not keep the newest out.
    const std::vector<std::string> names = names_in(folder);
    for (std::size_t i = 0; i + kMostFailures <= names.size(); ++i)
        sys::remove_file(folder + "/" + names[i]);
    (void)sys::replace_file(folder + "/" + new_name(),
                            document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n",
                            {0600, ::geteuid(), ::getegid()});
}

std::vector<Failure> list_failures(const std::string& state_folder) {
    const std::string folder = folder_of(state_folder);
    std::vector<std::string> names = names_in(folder);
    std::vector<Failure> failures;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        if (name->starts_with('.') || failures.size() == kMostFailures) continue;
        if (auto failure = read_failure(folder + "/" + *name))
            failures.push_back(std::move(*failure));
    }
    return failures;
}

}  // namespace gantry::app
