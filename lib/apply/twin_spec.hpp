// The config.json of the twin: a throw-away container with the rootfs, user,
// groups, capabilities, seccomp profile, labels, namespaces and devices of the
// container that is about to be made, and the GPU check as its process. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace gantry::apply {

struct TwinSpec {
    std::string id;                      // its name; also of its cgroup
    std::vector<std::string> arguments;  // process.args
    std::string bundle;                  // absolute folder of the container's bundle
    std::string rootfs;                  // absolute
};

struct TwinDocument {
    std::string text;
    // Everything that a low-level runtime makes in the rootfs where it is not
    // there yet: mount points, device nodes, links in /dev. Absolute.
    std::vector<std::string> touched_paths;
    std::string cgroups_path;            // as written, empty if none
};

// `edited` is the container's config.json after all edits. Errors: those of
// JsonDocument::parse, and SpecMalformed for a process that is no object.
[[nodiscard]] Result<TwinDocument> make_twin_document(const std::string& edited,
                                                      const TwinSpec& twin);

// The same parent and driver, another name: "/docker/ID" -> "/docker/NAME",
// "system.slice:docker:ID" -> "system.slice:gantry:NAME".
[[nodiscard]] std::string sibling_cgroups_path(const std::string& path, const std::string& name);

}  // namespace gantry::apply
