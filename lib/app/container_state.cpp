#include "app/container_state.hpp"

#include <sys/stat.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

using json = nlohmann::json;

constexpr std::size_t kMaxStateBytes = std::size_t{4} << 20;
// A create writes its record, then the low-level runtime makes the container.
// Clocks that were set meanwhile must not make a container look like another.
constexpr std::int64_t kLongestCreate = 600;

bool exists(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0;
}

std::string folder_of(const Record& record) { return record.root + "/" + record.id; }

// What runc's state.json and crun's status say, in one form.
struct State {
    std::uint64_t pid = 0, start = 0;  // start: clock ticks after boot, 0 unknown
    std::string bundle;
    std::optional<std::int64_t> created;
};

std::uint64_t number(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string text(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> utc_seconds(const std::string& rfc3339) {
    std::tm time{};
    const char* rest = ::strptime(rfc3339.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
    // Both write UTC; a zone would be somebody else's file.
    if (!rest || !rfc3339.ends_with('Z')) return std::nullopt;
    return static_cast<std::int64_t>(::timegm(&time));
}

std::string bundle_of(const json& document) {
    if (std::string bundle = text(document, "bundle"); !bundle.empty()) return bundle;
    const json::json_pointer labels("/config/labels");
    if (document.contains(labels) && document[labels].is_array())
        for (const json& label : document[labels])
            if (label.is_string() && label.get<std::string>().starts_with("bundle="))
                return label.get<std::string>().substr(7);
    return "";
}

std::optional<State> read_state(const Record& record) {
    if (!container_exists(record)) return std::nullopt;
    struct Form {
        const char *file, *pid, *start;
    };
    for (const auto& [file, pid, start] :
         {Form{"/state.json", "init_process_pid", "init_process_start"},
          Form{"/status", "pid", "process-start-time"}}) {
        const auto read = sys::read_regular_file(folder_of(record) + file, kMaxStateBytes);
        if (!read) continue;
        const json document = json::parse(read->text, nullptr, false);
        if (!document.is_object() || number(document, pid) == 0) continue;
        return State{number(document, pid), number(document, start), bundle_of(document),
                     utc_seconds(text(document, "created"))};
    }
    return std::nullopt;
}

// proc(5), /proc/PID/stat: "PID (NAME) STATE …", the start time is field 22. The
// name may hold anything, so from its end.
bool process_runs(const State& state) {
    const auto status =
        sys::read_regular_file("/proc/" + std::to_string(state.pid) + "/stat", 4096);
    const std::size_t end = status ? status->text.rfind(") ") : std::string::npos;
    if (end == std::string::npos) return false;
    const auto fields = split(std::string_view(status->text).substr(end + 2), ' ');
    if (fields[0] == "Z" || fields[0] == "X") return false;
    return state.start == 0 || fields.size() < 20 || parse_decimal(fields[19]) == state.start;
}

bool is_another(const Record& record, const State& state) {
    if (!state.bundle.empty() && !sys::same_file(state.bundle, record.bundle)) return true;
    return state.created && record.time != 0 &&
           (*state.created < record.time - kLongestCreate ||
            *state.created > record.time + kLongestCreate);
}

}  // namespace

bool container_exists(const Record& record) {
    // No low-level runtime takes such an id, and the path would be another's.
    if (record.id.empty() || record.id == "." || record.id == ".." ||
        record.id.find('/') != std::string::npos)
        return false;
    return exists(folder_of(record));
}

bool container_runs(const Record& record) {
    const auto state = read_state(record);
    return state && process_runs(*state);
}

bool id_is_anothers(const Record& record) {
    const std::string name = record.runtime.path.substr(record.runtime.path.rfind('/') + 1);
    // Of a runtime by another name nobody knows which file it writes.
    const bool runc = name == "runc";
    if (!runc && name != "crun") return false;
    const std::string folder = folder_of(record);
    return exists(folder + (runc ? "/status" : "/state.json")) &&
           !exists(folder + (runc ? "/state.json" : "/status"));
}

bool container_is_another(const Record& record) {
    const auto state = read_state(record);
    return state && is_another(record, *state);
}

bool container_is_live(const Record& record) {
    const auto state = read_state(record);
    return state && !is_another(record, *state) && process_runs(*state);
}

std::string boot_id() {
    const auto file = sys::read_regular_file("/proc/sys/kernel/random/boot_id", 128);
    return file ? std::string(trim(file->text)) : "";
}

}  // namespace gantry::app
