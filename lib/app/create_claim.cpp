#include "app/create_claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "app/container_state.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kMaxStatBytes = 4096;
constexpr std::size_t kStartField = 19;  // of those behind the name; proc(5): field 22

std::string start_of(std::string_view pid) {
    const auto stat =
        sys::read_regular_file("/proc/" + std::string(pid) + "/stat", kMaxStatBytes);
    // "PID (NAME) STATE …": the name may hold anything, so from its end.
    const std::size_t name_end = stat ? stat->text.rfind(") ") : std::string::npos;
    if (name_end == std::string::npos) return {};
    const auto fields = split(std::string_view(stat->text).substr(name_end + 2), ' ');
    if (fields.size() <= kStartField || fields[0] == "Z" || fields[0] == "X") return {};
    return std::string(fields[kStartField]);
}

Error in_use(const Record& record, const std::string& how) {
    return {Code::IdInUse,
            "a container with the id " + printable(record.id) + " " + how + " below " +
                printable(record.root, 200),
            "Delete it first, or use another id"};
}

}  // namespace

std::string own_process() {
    const std::string pid = std::to_string(::getpid());
    return pid + " " + start_of(pid);
}

bool process_lives(const std::string& process) {
    const std::size_t blank = process.find(' ');
    if (blank == std::string::npos || blank + 1 == process.size()) return false;
    const std::string_view pid = std::string_view(process).substr(0, blank);
    return parse_decimal(pid) && start_of(pid) == process.substr(blank + 1);
}

Status claim_record(const std::string& state_folder, Record record, const Story& story) {
    const std::string folder = state_folder + "/containers";
    GANTRY_CHECK(sys::make_folders(folder));
    // Held for two small files; a waiting create waits for no container.
    const UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0)
        return fail(Code::StateUnusable, "cannot lock " + folder + ": " + errno_text(errno),
                    "Gantry keeps its state there: make it a folder of root's");
    record.creator = own_process();
    if (const auto other = find_record(state_folder, {record.root}, record.id);
        other && other->creator != record.creator && process_lives(other->creator))
        return std::unexpected(in_use(record, "is being made"));
    if (container_exists(record)) return std::unexpected(in_use(record, "exists already"));
    return write_record(state_folder, record, story);
}

}  // namespace gantry::app
