#include "probe/twin_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/text.hpp"
#include "sys/cgroup.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/subprocess.hpp"

namespace gantry::probe {
namespace {

constexpr std::chrono::milliseconds kCgroupGrace{500};

UniqueFd lock_folder(const std::string& path, int create) {
    UniqueFd fd(::open((path + "/lock").c_str(), O_RDWR | create | O_CLOEXEC | O_NOFOLLOW, 0600));
    // The lock goes with the process, however it ends; the child that becomes
    // the low-level runtime closes its copy at exec.
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
    return fd;
}

// All lines of /proc/PID/cgroup; empty where the process is gone.
std::string cgroups_of(pid_t pid) {
    const auto file =
        sys::read_regular_file("/proc/" + std::to_string(pid) + "/cgroup", std::size_t{1} << 16);
    return file ? file->text : std::string();
}

// The unified hierarchy's path among them.
std::string unified_path(const std::string& cgroups) {
    for (const std::string_view line : split(cgroups, '\n'))
        if (line.starts_with("0::")) return std::string(line.substr(3));
    return {};
}

// systemd removes its own scopes. The name check keeps this to cgroups that are
// a twin's. Without a pid namespace the check's children outlive it, and each is
// there for a moment longer after SIGKILL.
bool is_own_cgroup(const std::string& cgroups_path, const std::string& id) {
    return cgroups_path.starts_with('/') && cgroups_path.ends_with("/" + id);
}

bool remove_cgroup(const std::string& cgroups_path, std::chrono::steady_clock::time_point end) {
    while (!sys::remove_cgroup(cgroups_path)) {
        if (std::chrono::steady_clock::now() >= end) return false;
        sys::kill_cgroup(cgroups_path);
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

}  // namespace

Result<TwinFolder> TwinFolder::create(const std::string& state_folder, const std::string& id) {
    TwinFolder folder;
    folder.id_ = id;
    folder.path_ = state_folder + "/twins/" + id;
    // It is locked before it has the name that a sweep looks for: another
    // create's sweep would take it for one whose maker is gone.
    const std::string unnamed = state_folder + "/twins/new-" + id;
    GANTRY_CHECK(sys::make_folders(unnamed));
    folder.lock_ = lock_folder(unnamed, O_CREAT);
    if (!folder.lock_ || !sys::rename_folder(unnamed, folder.path_)) {
        const int cause = errno;
        (void)sys::remove_tree(unnamed);
        return fail(Code::StateUnusable,
                    "cannot make " + folder.path_ + ": " + errno_text(cause),
                    "Make room in " + state_folder + ", or make it writable");
    }
    return folder;
}

TwinFolder TwinFolder::adopt(const std::string& path) {
    TwinFolder folder;
    folder.path_ = path;
    folder.id_ = path.substr(path.rfind('/') + 1);
    folder.adopted_ = true;
    // Not created: a folder without a lock is one that its maker is removing.
    folder.lock_ = lock_folder(path, 0);
    return folder;
}

std::optional<pid_t> TwinFolder::process() const {
    const auto file = sys::read_regular_file(pid_file(), 64);
    const auto pid = file ? parse_decimal(trim(file->text)) : std::nullopt;
    if (!pid || *pid <= 1) return std::nullopt;
    return static_cast<pid_t>(*pid);
}

std::optional<std::chrono::nanoseconds> TwinFolder::processor_time() const {
    const auto pid = process();
    if (!pid) return std::nullopt;
    const std::string unified = unified_path(cgroups_of(*pid));
    if (unified.find(id_) != std::string::npos)
        if (const auto used = sys::cgroup_processor_time(unified)) return used;
    return sys::processor_time(*pid);
}

std::string TwinFolder::where_it_waits() const {
    const auto pid = process();
    if (!pid) return {};
    const std::string number = std::to_string(*pid);
    std::string text = "process " + number;
    if (cgroups_of(*pid).find(id_) != std::string::npos) text += " in cgroup " + id_;
    const auto place = sys::read_regular_file("/proc/" + number + "/wchan", 128);
    if (place && place->text.size() > 1) text += " waits in " + printable(place->text, 64);
    return text;
}

UniqueFd TwinFolder::kill_processes() const {
    const auto pid = process();
    if (!pid) return {};
    const pid_t target = *pid;
    const std::string cgroups = cgroups_of(target);
    const bool named = cgroups.find(id_) != std::string::npos;
    // Of our own twin the number cannot have been reused: the runtime in the
    // foreground has not reaped it. Of a dead maker's it can.
    if (adopted_ && !named) return {};
    const std::string unified = unified_path(cgroups);
    if (unified.find(id_) != std::string::npos) sys::kill_cgroup(unified);
    return sys::kill_process(target);
}

void TwinFolder::kill_cgroup(const std::string& cgroups_path) const {
    if (is_own_cgroup(cgroups_path, id_)) sys::kill_cgroup(cgroups_path);
}

void TwinFolder::remove(const std::string& runtime, const std::vector<std::string>& global_flags,
                        const std::vector<std::string>& environment,
                        const std::string& cgroups_path, std::chrono::milliseconds most) const {
    kill_cgroup(cgroups_path);
    struct stat status {};
    if (::stat((runtime_root() + "/" + id_).c_str(), &status) == 0) {
        sys::Command command{runtime, {runtime, "--root", runtime_root()}, environment, {}, most,
                             4096};
        command.arguments.insert(command.arguments.end(), global_flags.begin(), global_flags.end());
        for (const char* word : {"delete", "--force"}) command.arguments.emplace_back(word);
        command.arguments.push_back(id_);
        // It waits for every process of the container.
        if (const auto deleted = sys::run_command(command); deleted && deleted->timed_out) return;
    }
    const auto end = std::chrono::steady_clock::now() + std::min(most, kCgroupGrace);
    if (!is_own_cgroup(cgroups_path, id_) || remove_cgroup(cgroups_path, end)) (void)sys::remove_tree(path_);
}

}  // namespace gantry::probe
