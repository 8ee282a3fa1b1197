// What Gantry remembers of a container with a GPU request: above all which
// low-level runtime made it, so that kill and delete reach the same one. A
// create by crun and a kill by runc would leave the process running.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/runtime_choice.hpp"
#include "base/error.hpp"
#include "oci-spec/container_edits.hpp"

namespace gantry::app {

struct Record {
    std::string root, id;       // the container's identity: --root and ID
    LowLevelRuntime runtime;
    std::string bundle;
    std::vector<std::string> gpus;  // "AMD GPU 0 (RX 6700 XT)"
    std::string verdict;        // "PASS", "SIMULATED", …
    // What the main process was given, for processes that join it later.
    std::vector<oci::EnvEdit> env;              // without reasons
    std::vector<oci::GidEdit> additional_gids;  // without reasons
    std::vector<oci::DeviceEdit> device_rules;  // numbers and permissions alone
};

// Errors: StateUnusable.
[[nodiscard]] Status write_record(const std::string& state_folder, const Record& record);

// The record under the first of these roots that has one. A file that is
// missing, half-written, of another identity or not root's is no record.
[[nodiscard]] std::optional<Record> find_record(const std::string& state_folder,
                                                const std::vector<std::string>& roots,
                                                const std::string& id);
// Records of containers that exist, by id. For a person who asks; bounded.
[[nodiscard]] std::vector<Record> list_records(const std::string& state_folder);
// Has the low-level runtime a container of that identity?
[[nodiscard]] bool container_exists(const Record& record);
// Is its process alive, so that a delete without --force will refuse? Read from
// the runtime's own state file; false where that cannot be told.
[[nodiscard]] bool container_runs(const Record& record);
void remove_record(const std::string& state_folder, const Record& record);

// Removes records whose container is gone (a reboot clears /run by itself; an
// engine that was killed does not). Looks at no more than `limit` files.
void sweep_stale_records(const std::string& state_folder, std::size_t limit);

}  // namespace gantry::app
