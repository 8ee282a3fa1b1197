#include "probe/launcher.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apply/twin_spec.hpp"
#include "base/text.hpp"
#include "probe/check_program.hpp"
#include "probe/conversation.hpp"
#include "probe/twin_folder.hpp"
#include "sys/caught_signals.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/rootfs.hpp"
#include "sys/subprocess.hpp"

namespace gantry::probe {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxLogBytes = std::size_t{64} << 10;
// A driver's teardown of its context takes a part of a second. After a deadline the
// create has two seconds in all, kKillGrace among them where it is not over sooner;
// a sweep delays a create that has nothing to do with the twin.
constexpr std::chrono::milliseconds kRemoveTime{5000}, kHeldRemoveTime{1000};
constexpr std::chrono::milliseconds kSweptRemoveTime{300}, kSweepGrace{200};

// Ids of runc and crun may hold letters, digits and "_+-." only.
std::string twin_id(const std::string& container_id) {
    std::string id = "gantry-";
    for (const char c : container_id.substr(0, 12)) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
        id += plain ? c : '_';
    }
    return id + "-" + std::to_string(::getpid());
}

// The environment is the shim's own, less what would make the low-level
// runtime act for its caller: report readiness to systemd, take over sockets,
// talk to conmon.
std::vector<std::string> twin_environment(const std::vector<std::string>& environment) {
    constexpr const char* kDropped[] = {"NOTIFY_SOCKET=", "LISTEN_FDS=",   "LISTEN_PID=",
                                        "LISTEN_FDNAMES=", "_OCI_SYNCPIPE=", "_OCI_STARTPIPE=",
                                        "_OCI_ATTACHPIPE="};
    std::vector<std::string> kept;
    std::ranges::copy_if(environment, std::back_inserter(kept), [&](const std::string& entry) {
        return std::ranges::none_of(kDropped,
                                    [&](const char* name) { return entry.starts_with(name); });
    });
    return kept;
}

// The last error of the runtime's own log (JSON lines), else what it printed.
std::string runtime_words(const TwinFolder& folder, const std::string& output) {
    std::string words;
    if (const auto log = sys::read_regular_file(folder.log(), kMaxLogBytes)) {
        for (const std::string_view line : split(log->text, '\n')) {
            const auto entry = nlohmann::json::parse(line, nullptr, false);
            if (entry.is_object() && entry.value("level", "") == "error")
                words = entry.value("msg", "");
        }
    }
    return std::string(trim(words.empty() ? output : words));
}

std::vector<std::string> run_arguments(const TwinRun& run, const TwinFolder& folder) {
    std::vector<std::string> arguments{run.runtime, "--root",       folder.runtime_root(),
                                       "--log",     folder.log(),   "--log-format",
                                       "json"};
    arguments.insert(arguments.end(), run.global_flags.begin(), run.global_flags.end());
    for (const std::string& word : {std::string("run"), std::string("--bundle"), folder.path(),
                                    std::string("--pid-file"), folder.pid_file(),
                                    std::string("--preserve-fds"), std::string("3")})
        arguments.push_back(word);
    arguments.insert(arguments.end(), run.run_flags.begin(), run.run_flags.end());
    arguments.push_back(folder.id());
    return arguments;
}

}  // namespace

Result<TwinResult> run_twin(const TwinRun& run, const std::string& edited_config,
                            const Expectation& expectation) {
    // Before the first thread and the first file: what is begun here is ended here.
    sys::CaughtSignals signals;
    GANTRY_TRY(const UniqueFd program, load_program(run.probe_program));
    GANTRY_TRY(const sys::Rootfs rootfs, sys::Rootfs::open(run.rootfs));
    const std::string id = twin_id(run.container_id);
    GANTRY_TRY(const MatrixSeeds seeds, draw_seeds(expectation.product.size));
    GANTRY_TRY(const apply::TwinDocument document,
               apply::make_twin_document(
                   edited_config, {id, check_arguments(expectation, seeds), run.bundle, run.rootfs}));
    GANTRY_TRY(const TwinFolder folder, TwinFolder::create(run.state_folder, id));
    const std::vector<std::string> absent = rootfs.missing(document.touched_paths);
    const std::vector<std::string> environment = twin_environment(run.environment);
    const auto clean_up = [&](std::chrono::milliseconds most = kRemoveTime) {
        folder.remove(run.runtime, run.global_flags, environment, document.cgroups_path, most);
    };

    auto written = sys::replace_file(folder.path() + "/config.json", document.text,
                                     {0600, ::geteuid(), ::getegid()});
    auto conversation = Conversation::open(
        expectation, seeds, [&folder] { return folder.processor_time(); },
        [&](std::string_view line) {
            // crun waits for what the check left running where no pid namespace ends
            // it. After its last line nothing of the twin is of use.
            if (line == "end") folder.kill_cgroup(document.cgroups_path);
        });
    if (written && !conversation) written = std::unexpected(conversation.error());
    if (!written) {
        clean_up();
        return std::unexpected(written.error());
    }

    sys::Command command{run.runtime, run_arguments(run, folder), environment,
                         conversation->passed(program.get()), run.timeout, kMaxLogBytes};
    UniqueFd killed;
    command.interrupt_fd = signals.fd();
    auto completed = sys::run_command(command, &conversation->stream(),
                                      [&] { killed = folder.kill_processes(); });
    const auto end = std::chrono::steady_clock::now();
    if (!completed) {
        clean_up();
        rootfs.remove_if_empty(absent);
        return std::unexpected(completed.error());
    }
    RunOutcome outcome;
    outcome.deadline_passed = completed->timed_out;
    // The runtime dies of SIGKILL whatever holds the process that it started.
    outcome.unkillable = completed->unkillable || !sys::has_ended(killed, end + sys::kKillGrace);
    if (outcome.unkillable) outcome.waits = folder.where_it_waits();
    outcome.exit_code = completed->exit_code;
    if (completed->signalled) folder.kill_processes();  // what it ran goes on without it
    outcome.runtime_killed = completed->signalled && !completed->timed_out;
    outcome.runtime_text = runtime_words(folder, completed->output);
    conversation->finish(outcome);
    // What is held cannot be removed, and to try takes time; a later create sweeps.
    if (!outcome.unkillable) clean_up(completed->timed_out ? kHeldRemoveTime : kRemoveTime);
    outcome.interrupted_by = signals.take();
    return TwinResult{std::move(outcome), absent};
}

void undo_in_rootfs(const std::string& rootfs, const std::vector<std::string>& made) {
    if (const auto root = sys::Rootfs::open(rootfs)) root->remove_if_empty(made);
}

void sweep_stale_twins(const std::string& state_folder, const std::string& runtime,
                       const std::vector<std::string>& environment, std::size_t limit) {
    const std::string twins = state_folder + "/twins";
    DIR* stream = ::opendir(twins.c_str());
    if (!stream) return;
    std::vector<std::string> found;
    while (const dirent* entry = ::readdir(stream))
        if (found.size() < limit && std::string_view(entry->d_name).starts_with("gantry-"))
            found.push_back(twins + "/" + entry->d_name);
    ::closedir(stream);
    for (const std::string& path : found) {
        const TwinFolder folder = TwinFolder::adopt(path);
        if (!folder.owned()) continue;
        // What the kernel still holds is left for another time.
        const UniqueFd killed = folder.kill_processes();
        if (!sys::has_ended(killed, std::chrono::steady_clock::now() + kSweepGrace)) continue;
        std::string cgroups_path;
        if (const auto config = sys::read_regular_file(path + "/config.json", kMaxConfigBytes)) {
            const auto document = nlohmann::json::parse(config->text, nullptr, false);
            const auto pointer = nlohmann::json::json_pointer("/linux/cgroupsPath");
            if (document.is_object() && document.contains(pointer) &&
                document[pointer].is_string())
                cgroups_path = document[pointer];
        }
        folder.remove(runtime, {}, environment, cgroups_path, kSweptRemoveTime);
    }
}

}  // namespace gantry::probe
