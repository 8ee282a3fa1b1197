// Which low-level runtime does the work. Neither PATH nor HOME is asked: some
// engines call without them (podman kill), and a path list of the caller must
// not decide what runs as root.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "oci-spec/runtime_argv.hpp"

namespace gantry::app {

struct LowLevelRuntime {
    std::string path;
    oci::RuntimeKind kind = oci::RuntimeKind::Runc;
};

// By the file's name: crun behaves in its own way, all others as runc.
[[nodiscard]] oci::RuntimeKind kind_of(std::string_view path);

// gantry-runc and gantry-crun are links to gantry-runtime; nullopt for any
// other name.
[[nodiscard]] std::optional<oci::RuntimeKind> kind_by_name(std::string_view argv0);

// The first usable one of that kind (or of any): the configured paths, then a
// fixed list of folders. Never Gantry itself. Error: RuntimeMissing.
[[nodiscard]] Result<LowLevelRuntime> choose_runtime(std::optional<oci::RuntimeKind> kind,
                                                     const std::vector<std::string>& configured);

// State folders that count for a command line: the one named, as each kind reads
// it, else the defaults of that user. Absolute; links in a named one resolved, so
// that all its spellings are one.
struct CandidateRoot {
    oci::RuntimeKind kind;
    std::string path;
};
[[nodiscard]] std::vector<CandidateRoot> candidate_roots(const std::string& root,
                                                         const std::string& xdg_runtime_dir);

// The kind whose state folder <root>/<id> is: runc keeps state.json there,
// crun status. nullopt: nobody's.
[[nodiscard]] std::optional<oci::RuntimeKind> owner_of(const std::vector<CandidateRoot>& roots,
                                                       const std::string& id);

[[nodiscard]] std::string default_root(oci::RuntimeKind kind, const std::string& xdg_runtime_dir);
// The one that a create in this bundle will use.
[[nodiscard]] std::string effective_root(const std::string& root, oci::RuntimeKind kind,
                                         const std::string& xdg_runtime_dir,
                                         const std::string& bundle);

}  // namespace gantry::app
