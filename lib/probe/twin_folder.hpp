// The folder of one twin below the state folder, and everything that has to go
// with it: runtime state, cgroup, processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace gantry::probe {

class TwinFolder {
public:
    // Makes <state>/twins/<id> and locks it for this process's life.
    // Error: StateUnusable.
    [[nodiscard]] static Result<TwinFolder> create(const std::string& state_folder,
                                                   const std::string& id);
    // Takes over a folder whose maker is gone; empty lock where it is not.
    [[nodiscard]] static TwinFolder adopt(const std::string& path);

    [[nodiscard]] bool owned() const { return static_cast<bool>(lock_); }
    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string runtime_root() const { return path_ + "/state"; }
    [[nodiscard]] std::string log() const { return path_ + "/log"; }
    [[nodiscard]] std::string pid_file() const { return path_ + "/pid"; }

    // Processor time of the check so far, of all its processes where it has a cgroup
    // of its own; nullopt as long as nobody knows its process.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> processor_time() const;
    // What the kernel shows of the check's process: "process 4711 in cgroup
    // gantry-web-815 waits in fuse_get_req".
    [[nodiscard]] std::string where_it_waits() const;

    // SIGKILL for every process of the twin. Bounded, never blocks. Returns the
    // check's process, for sys::has_ended().
    UniqueFd kill_processes() const;
    // Likewise by the cgroup alone, which also holds those whose parent has ended.
    // Not one that systemd makes.
    void kill_cgroup(const std::string& cgroups_path) const;
    // Lets the runtime delete what is left of the twin, then removes its cgroup
    // and the folder. `cgroups_path` as in the twin's config.json. What cannot be
    // done in the time of `most` is left, with the folder, for a later sweep.
    void remove(const std::string& runtime, const std::vector<std::string>& global_flags,
                const std::vector<std::string>& environment, const std::string& cgroups_path,
                std::chrono::milliseconds most) const;

private:
    // Of the check's process; nullopt where the runtime has not told it.
    [[nodiscard]] std::optional<pid_t> process() const;

    std::string path_, id_;
    bool adopted_ = false;
    UniqueFd lock_;
};

}  // namespace gantry::probe
