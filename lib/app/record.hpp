// What Gantry remembers of a container with a GPU request: above all which
// low-level runtime made it, so that kill and delete reach the same one. A
// create by crun and a kill by runc would leave the process running.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/create_story.hpp"
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
    std::int64_t time = 0;      // of its create, seconds since 1970
    // What the main process was given, for processes that join it later.
    std::vector<oci::EnvEdit> env;              // without reasons
    std::vector<oci::GidEdit> additional_gids;  // without reasons
    std::vector<oci::DeviceEdit> device_rules;  // numbers and permissions alone
    std::string creator;        // the process that made it, see create_claim.hpp
    std::string rootfs;         // absolute
    std::vector<std::string> mount_points;  // made in it for Gantry's edits, parents first
};

// The file has two lines: the record, which every verb reads, and the story,
// which only a person does. Errors: StateUnusable.
[[nodiscard]] Status write_record(const std::string& state_folder, const Record& record,
                                  const Story& story = {});

// The record under the first of these roots that has one. A file that is
// missing, half-written, of another identity, of an earlier boot or not root's
// is no record; nor is one whose id a container of another runtime has now.
[[nodiscard]] std::optional<Record> find_record(const std::string& state_folder,
                                                const std::vector<std::string>& roots,
                                                const std::string& id);

struct RecordedContainer {
    Record record;
    Story story;
};
// Of the containers that live, by id. For a person who asks; bounded.
[[nodiscard]] std::vector<RecordedContainer> list_live_containers(const std::string& state_folder);

void remove_record(const std::string& state_folder, const Record& record);

// Removes records whose container is gone (a reboot clears /run by itself; an
// engine that was killed does not). Looks at no more than `limit` files.
void sweep_stale_records(const std::string& state_folder, std::size_t limit);

}  // namespace gantry::app
