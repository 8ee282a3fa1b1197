#include "app/record.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/container_state.hpp"
#include "app/create_claim.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kMaxRecordBytes = std::size_t{128} << 10;
// A create writes its record before the runtime makes its state folder.
constexpr std::time_t kSettleSeconds = 300;

// FNV-1a, only to give every (root, id) a file name of its own; the file says
// itself whose it is.
std::uint64_t fingerprint(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

std::string record_path(const std::string& state_folder, const std::string& root,
                        const std::string& id) {
    char name[32];
    std::snprintf(name, sizeof name, "%016llx.json",
                  static_cast<unsigned long long>(fingerprint(root + '\0' + id)));
    return state_folder + "/containers/" + name;
}

std::optional<oci::DeviceEdit> parse_rule(const json& rule) {
    const auto number = [&](const char* key) {
        return rule.contains(key) && rule[key].is_number_unsigned();
    };
    const auto text = [&](const char* key) {
        return rule.contains(key) && rule[key].is_string() && !rule[key].get<std::string>().empty();
    };
    if (!rule.is_object() || !number("major") || !number("minor") || !text("type") ||
        !text("access"))
        return std::nullopt;
    oci::DeviceEdit edit;
    edit.type = rule["type"].get<std::string>().front();
    edit.major = rule["major"];
    edit.minor = rule["minor"];
    edit.permissions = rule["access"];
    return edit;
}

std::optional<Record> parse_record(std::string_view line) {
    const json document = json::parse(line, nullptr, false);
    if (!document.is_object()) return std::nullopt;
    Record record;
    const auto boot = document.find("boot");
    if (boot == document.end() || !boot->is_string()) return std::nullopt;
    // Where the state folder outlives a reboot, its containers do not.
    if (const std::string now = boot_id(); !now.empty() && *boot != now) return std::nullopt;
    for (const auto& [key, target] :
         {std::pair{"root", &record.root}, {"id", &record.id},
          {"runtime", &record.runtime.path}, {"bundle", &record.bundle},
          {"verdict", &record.verdict}}) {
        if (!document.contains(key) || !document[key].is_string()) return std::nullopt;
        *target = document[key].get<std::string>();
    }
    if (!record.runtime.path.starts_with('/')) return std::nullopt;
    if (document.contains("time") && document["time"].is_number_integer())
        record.time = document["time"];
    record.runtime.kind = kind_of(record.runtime.path);
    if (document.contains("gpus") && document["gpus"].is_array())
        for (const auto& gpu : document["gpus"])
            if (gpu.is_string()) record.gpus.push_back(gpu);
    if (document.contains("env") && document["env"].is_object())
        for (const auto& [name, value] : document["env"].items())
            record.env.push_back({name,
                                  value.is_string() ? std::optional(value.get<std::string>())
                                                    : std::nullopt,
                                  {}});
    if (document.contains("additionalGids") && document["additionalGids"].is_array())
        for (const auto& gid : document["additionalGids"])
            if (gid.is_number_unsigned()) record.additional_gids.push_back({gid, {}});
    if (document.contains("deviceRules") && document["deviceRules"].is_array())
        for (const auto& rule : document["deviceRules"])
            if (auto parsed = parse_rule(rule)) record.device_rules.push_back(std::move(*parsed));
    for (const auto& [key, target] :
         {std::pair{"creator", &record.creator}, {"rootfs", &record.rootfs}})
        if (document.contains(key) && document[key].is_string())
            *target = document[key].get<std::string>();
    if (document.contains("mountPoints") && document["mountPoints"].is_array())
        for (const auto& path : document["mountPoints"])
            if (path.is_string() && path.get<std::string>().starts_with('/'))
                record.mount_points.push_back(path);
    return record;
}

// With the text of the story, if somebody wants it.
std::optional<Record> read_record(const std::string& path, std::string* story = nullptr) {
    auto file = sys::read_regular_file(path, kMaxRecordBytes);
    // It names a program to run: only our own word counts. Without its last
    // line end it was not written to its end.
    if (!file || file->identity.uid != ::geteuid() || (file->identity.mode & 022) != 0 ||
        !file->text.ends_with('\n'))
        return std::nullopt;
    const std::size_t end = file->text.find('\n');
    if (story) *story = file->text.substr(end + 1);
    return parse_record(std::string_view(file->text).substr(0, end));
}

}  // namespace

Status write_record(const std::string& state_folder, const Record& record, const Story& story) {
    GANTRY_CHECK(sys::make_folders(state_folder + "/containers"));
    json env = json::object();
    for (const oci::EnvEdit& edit : record.env)
        env[edit.name] = edit.value ? json(*edit.value) : json();
    json gids = json::array();
    for (const oci::GidEdit& edit : record.additional_gids) gids.push_back(edit.gid);
    json rules = json::array();
    for (const oci::DeviceEdit& edit : record.device_rules)
        rules.push_back({{"type", std::string(1, edit.type)},
                         {"major", edit.major},
                         {"minor", edit.minor},
                         {"access", edit.permissions}});
    const json document = {{"version", 1},
                           {"boot", boot_id()},
                           {"time", record.time},
                           {"root", record.root},
                           {"id", record.id},
                           {"runtime", record.runtime.path},
                           {"bundle", record.bundle},
                           {"gpus", record.gpus},
                           {"verdict", record.verdict},
                           {"env", env},
                           {"additionalGids", gids},
                           {"deviceRules", rules},
                           {"creator", record.creator},
                           {"rootfs", record.rootfs},
                           {"mountPoints", record.mount_points}};
    auto written = sys::replace_file(
        record_path(state_folder, record.root, record.id),
        document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n" +
            render_story(story) + "\n",
        {0600, ::geteuid(), ::getegid()});
    if (!written) written.error().code = Code::StateUnusable;
    return written;
}

std::optional<Record> find_record(const std::string& state_folder,
                                  const std::vector<std::string>& roots, const std::string& id) {
    for (const std::string& root : roots)
        if (auto record = read_record(record_path(state_folder, root, id));
            record && record->root == root && record->id == id && !id_is_anothers(*record))
            return record;
    return std::nullopt;
}

std::vector<RecordedContainer> list_live_containers(const std::string& state_folder) {
    constexpr std::size_t kMaxListed = 10'000;
    std::vector<RecordedContainer> live;
    const std::string folder = state_folder + "/containers";
    DIR* stream = ::opendir(folder.c_str());
    if (!stream) return live;
    while (const dirent* entry = ::readdir(stream)) {
        if (entry->d_name[0] == '.' || live.size() == kMaxListed) continue;
        std::string story;
        if (auto record = read_record(folder + "/" + entry->d_name, &story);
            record && container_is_live(*record))
            live.push_back({std::move(*record), parse_story(story).value_or(Story{})});
    }
    ::closedir(stream);
    std::ranges::sort(live, {}, [](const RecordedContainer& c) {
        return std::tie(c.record.id, c.record.root);
    });
    return live;
}

void remove_record(const std::string& state_folder, const Record& record) {
    sys::remove_file(record_path(state_folder, record.root, record.id));
}

void sweep_stale_records(const std::string& state_folder, std::size_t limit) {
    const std::string folder = state_folder + "/containers";
    DIR* stream = ::opendir(folder.c_str());
    if (!stream) return;
    while (const dirent* entry = ::readdir(stream)) {
        // Names with a dot before them are what a killed writer left.
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (limit-- == 0) break;
        const std::string path = folder + "/" + entry->d_name;
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) continue;
        const auto record = read_record(path);
        // Of a create that is under way the container is still to come.
        const bool pending = record && !record->creator.empty()
                                 ? process_lives(record->creator)
                                 : std::time(nullptr) - status.st_mtime < kSettleSeconds;
        if (!pending && (!record || !container_exists(*record))) sys::remove_file(path);
    }
    ::closedir(stream);
}

}  // namespace gantry::app
