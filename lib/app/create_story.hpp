// What happened in one create, for a person who asks later: engines show one
// line of a failure and nothing of a success. Kept with the record of a
// container that started and with the failure of one that did not.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oci-spec/spec_view.hpp"

namespace gantry::app {

struct StoryStep {
    std::string name;  // "request", "plan", "check", …
    std::int64_t microseconds = 0;
};

class Story {
public:
    std::int64_t time = 0;              // seconds since 1970, when it began
    std::string pod;                    // "namespace/name", empty outside Kubernetes
    std::string container;              // its name in the pod
    std::vector<std::string> gpus;      // "AMD GPU 0 (RX 6700 XT)"
    std::vector<StoryStep> steps;       // the last one is where it ended
    std::vector<std::string> reasons;   // what was planned and why, one edit a line
    std::vector<std::string> warnings;
    std::string verdict;                // "PASS", …; empty where it did not come to one
    std::string summary;                // what the check saw
    int ended_by = 0;                   // signal that ended the create; not kept

    // Ends the step before it.
    void enter(std::string step);
    void end();

    [[nodiscard]] std::int64_t microseconds() const;  // of all steps
    [[nodiscard]] std::string gpu_text() const;       // "AMD GPU 0 (X) and 7 more"

private:
    std::chrono::steady_clock::time_point entered_;
    bool open_ = false;
};

// Pod and container name from the annotations of containerd's CRI plugin and of
// CRI-O, made printable.
void name_pod(Story& story, const oci::SpecView& spec);

// One line of JSON, bounded: of long lists the beginning is kept.
[[nodiscard]] std::string render_story(const Story& story);
[[nodiscard]] std::optional<Story> parse_story(const std::string& json);

}  // namespace gantry::app
