#include "app/debug_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "app/gpu_check.hpp"
#include "app/state_folder.hpp"
#include "apply/twin_spec.hpp"
#include "base/text.hpp"
#include "oci-spec/json_document.hpp"
#include "oci-spec/spec_view.hpp"
#include "sys/file.hpp"
#include "sys/private_mounts.hpp"
#include "sys/process.hpp"
#include "sys/subprocess.hpp"

namespace gantry::app {
namespace {

using Clock = std::chrono::steady_clock;
using oci::JsonDocument;

constexpr std::chrono::seconds kProcessTimeout{10};
constexpr std::chrono::seconds kVerbTimeout{20};
constexpr std::size_t kMaxOutput = std::size_t{64} << 10;

// Folders of the copy, all in one memory file system of this process alone.
struct Copy {
    std::string folder, bundle, rootfs, state, id, pid_file, cgroups_path;
};

Result<Copy> make_copy(const DebugRun& run) {
    Copy copy;
    copy.id = "gantry-debug-" + std::to_string(::getpid());
    copy.folder = state_folder(environment_value(run.environment, "XDG_RUNTIME_DIR")) + "/debug";
    GANTRY_CHECK(sys::make_folders(copy.folder));
    GANTRY_CHECK(sys::enter_private_mounts());
    GANTRY_CHECK(sys::mount_tmpfs(copy.folder));
    copy.bundle = copy.folder + "/bundle";
    copy.rootfs = copy.bundle + "/rootfs";
    copy.state = copy.folder + "/state";
    copy.pid_file = copy.folder + "/pid";
    for (const std::string& path :
         {copy.rootfs, copy.state, copy.folder + "/upper", copy.folder + "/work"})
        GANTRY_CHECK(sys::make_folders(path));
    // An overlay's root shows the mode of its upper folder.
    GANTRY_CHECK(sys::copy_folder_mode(run.rootfs, copy.folder + "/upper"));
    GANTRY_CHECK(sys::mount_overlay(run.rootfs, copy.folder + "/upper", copy.folder + "/work",
                                    copy.rootfs));

    GANTRY_TRY(JsonDocument document, JsonDocument::parse(run.edited_config));
    const auto root = document.ensure(document.root(), "root", oci::JsonKind::Object);
    if (root != JsonDocument::kNone) document.set(root, "path", oci::json_quote(copy.rootfs));
    if (const auto process = document.find({"process"}); process != JsonDocument::kNone)
        document.set(process, "terminal", "false");  // there is no console to hand over
    const oci::SpecView view = oci::extract_spec_view(document);
    if (!view.cgroups_path.empty()) {
        copy.cgroups_path = apply::sibling_cgroups_path(view.cgroups_path, copy.id);
        document.set(document.find({"linux"}), "cgroupsPath", oci::json_quote(copy.cgroups_path));
    }
    GANTRY_CHECK(sys::replace_file(copy.bundle + "/config.json", document.render(),
                                   {0600, ::geteuid(), ::getegid()}));
    return copy;
}

class Walk {
public:
    Walk(const DebugRun& run, const DebugStep& step, DebugResult& result, Copy copy)
        : run_(run), step_(step), result_(result), copy_(std::move(copy)) {
        // "slice:prefix:name" is systemd's form of a cgroup path.
        arguments_.systemd_cgroup = copy_.cgroups_path.find(':') != std::string::npos;
    }

    // False where the check was told to end by a signal.
    bool check() {
        const auto begin = Clock::now();
        const GpuCheck check{run_.runtime, arguments_, run_.environment,
                             copy_.id,     copy_.bundle, copy_.rootfs, run_.plan.gpus};
        const auto config = sys::read_regular_file(copy_.bundle + "/config.json", kMaxOutput * 256);
        CheckResult checked = check_gpus(run_.settings, check, config ? config->text : "",
                                         run_.plan.expectation);
        result_.verdict = std::move(checked.verdict);
        result_.check_time =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
        step_("verdict", result_);
        return checked.interrupted_by == 0;
    }

    void create_and_start() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
        const UniqueFd read(ends[0]);
        UniqueFd write(ends[1]);
        sys::adopt_orphans();  // the container's process, when the runtime is gone
        result_.create = verb({"create", "--bundle", copy_.bundle, "--pid-file", copy_.pid_file,
                               copy_.id},
                              write.get());
        write.reset();
        if (*result_.create != "ok") collect(read.get(), Clock::now());
        step_("create", result_);
        if (*result_.create != "ok") return;
        result_.start = verb({"start", copy_.id}, -1);
        step_("start", result_);
        if (*result_.start == "ok") watch_process(read.get());
        step_("process", result_);
    }

    void clean_up() {
        const std::string words = verb({"delete", "--force", copy_.id}, -1);
        // Nothing to delete is what a refused create leaves.
        result_.clean_up = words == "ok" || words.find("does not exist") != std::string::npos ||
                                   !result_.create || *result_.create != "ok"
                               ? "nothing is left"
                               : words;
        step_("clean-up", result_);
    }

private:
    std::string verb(const std::vector<std::string>& words, int output) const {
        sys::Command command{run_.runtime.path, {run_.runtime.path, "--root", copy_.state},
                             run_.environment,  {},
                             kVerbTimeout,      kMaxOutput};
        command.output = output;
        if (arguments_.systemd_cgroup) command.arguments.emplace_back("--systemd-cgroup");
        command.arguments.insert(command.arguments.end(), words.begin(), words.end());
        const auto completed = sys::run_command(command);
        if (!completed) return completed.error().text();
        if (completed->timed_out) return "no answer within 20 s";
        if (completed->exit_code == 0) return "ok";
        return "exit status " + std::to_string(completed->exit_code) +
               (completed->output.empty() ? "" : ": " + std::string(trim(completed->output)));
    }

    // Reads the process's output until it ends or the deadline passes.
    void collect(int fd, Clock::time_point deadline) {
        std::array<char, 4096> buffer{};
        for (;;) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
            pollfd polled{fd, POLLIN, 0};
            if (::poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0)
                return;
            const ssize_t n = ::read(fd, buffer.data(), buffer.size());
            if (n <= 0) return;
            const std::size_t room = kMaxOutput - std::min(kMaxOutput, result_.output.size());
            result_.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
        }
    }

    void watch_process(int output) {
        const auto file = sys::read_regular_file(copy_.pid_file, 64);
        const auto pid = file ? parse_decimal(trim(file->text)) : std::nullopt;
        const auto deadline = Clock::now() + kProcessTimeout;
        collect(output, deadline);
        siginfo_t info{};
        while (pid && Clock::now() < deadline && info.si_pid == 0) {
            if (::waitid(P_PID, static_cast<id_t>(*pid), &info, WEXITED | WNOHANG) != 0) break;
            if (info.si_pid == 0) ::poll(nullptr, 0, 20);
        }
        if (info.si_pid == 0) {
            result_.process = "still running after 10 s, killed";
            (void)verb({"kill", copy_.id, "KILL"}, -1);
        } else if (info.si_code == CLD_EXITED) {
            result_.process = "exited with status " + std::to_string(info.si_status);
        } else {
            result_.process = "ended by signal " + std::to_string(info.si_status);
        }
    }

    const DebugRun& run_;
    const DebugStep& step_;
    DebugResult& result_;
    const Copy copy_;
    oci::RuntimeArgv arguments_;
};

}  // namespace

void run_debug_copy(const DebugRun& run, const DebugStep& step, DebugResult& result) {
    auto copy = make_copy(run);
    if (!copy) {
        result.no_run_reason = "no private copy of the rootfs can be made (" +
                               copy.error().message + "), and the bundle itself stays untouched";
        return;
    }
    const std::string folder = copy->folder;
    Walk walk(run, step, result, std::move(*copy));
    if (!walk.check() || refuses(run.settings, run.settings.probe_policy, *result.verdict))
        result.error = result.verdict->error;
    else if (!run.check_only)
        walk.create_and_start();
    walk.clean_up();
    sys::unmount(folder);
    (void)sys::remove_tree(folder);
}

}  // namespace gantry::app
