// Cgroups by their path, as /proc/PID/cgroup and a spec's cgroupsPath give it,
// in whatever hierarchies are mounted here.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace gantry::sys {

// Every process in it, wherever it hid from its parent. Needs Linux 5.14 and
// the unified hierarchy; does nothing elsewhere.
void kill_cgroup(const std::string& path);

// The cgroup and those in it, two levels deep, in every hierarchy. One that
// still holds a process stays; false then.
bool remove_cgroup(const std::string& path);

// Processor time of every process that was ever in it. Unified hierarchy only.
[[nodiscard]] std::optional<std::chrono::nanoseconds> cgroup_processor_time(const std::string& path);

}  // namespace gantry::sys
