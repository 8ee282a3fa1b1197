#include "app/runtime_choice.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "app/state_folder.hpp"
#include "base/text.hpp"
#include "oci-spec/spec_view.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

using oci::RuntimeKind;

constexpr const char* kFolders[] = {"/usr/sbin", "/usr/bin", "/usr/local/sbin",
                                    "/usr/local/bin", "/sbin", "/bin"};

const char* name_of(RuntimeKind kind) { return kind == RuntimeKind::Crun ? "crun" : "runc"; }

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A link named runc that leads to Gantry would make it execute itself for ever.
bool is_self(const std::string& path) {
    struct stat self {}, other {};
    return ::stat("/proc/self/exe", &self) == 0 && ::stat(path.c_str(), &other) == 0 &&
           self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

bool usable(const std::string& path) { return sys::is_executable_file(path) && !is_self(path); }

bool exists(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0;
}

// The working folder as Go's os.Getwd tells it: by $PWD, links and all, where that
// names it.
std::string working_folder_in_go() {
    const char* const pwd = std::getenv("PWD");
    return pwd && pwd[0] == '/' && sys::same_file(pwd, ".") ? pwd : sys::current_folder();
}

// runc takes ".." in --root as text (filepath.Abs), crun has the kernel walk it; and
// crun has gone into the bundle before it uses a relative one in a create.
std::string root_of(RuntimeKind kind, const std::string& root, const std::string& bundle) {
    const bool relative = !root.starts_with('/');
    if (kind == RuntimeKind::Crun)
        return sys::resolved_path(relative && !bundle.empty() ? bundle + "/" + root : root);
    return sys::resolved_path(
        oci::clean_path(relative ? working_folder_in_go() + "/" + root : root));
}

}  // namespace

RuntimeKind kind_of(std::string_view path) {
    return base_name(path).find("crun") != std::string_view::npos ? RuntimeKind::Crun
                                                                  : RuntimeKind::Runc;
}

std::optional<RuntimeKind> kind_by_name(std::string_view argv0) {
    const std::string_view name = base_name(argv0);
    if (name == "gantry-crun") return RuntimeKind::Crun;
    if (name == "gantry-runc") return RuntimeKind::Runc;
    return std::nullopt;
}

Result<LowLevelRuntime> choose_runtime(std::optional<RuntimeKind> kind,
                                       const std::vector<std::string>& configured) {
    for (const std::string& path : configured)
        if ((!kind || kind_of(path) == *kind) && usable(path))
            return LowLevelRuntime{path, kind_of(path)};
    for (const RuntimeKind candidate : {RuntimeKind::Runc, RuntimeKind::Crun}) {
        if (kind && candidate != *kind) continue;
        for (const char* folder : kFolders) {
            std::string path = std::string(folder) + "/" + name_of(candidate);
            if (usable(path)) return LowLevelRuntime{std::move(path), candidate};
        }
    }
    const std::string wanted = kind ? name_of(*kind) : "runc or crun";
    return fail(Code::RuntimeMissing,
                "no low-level runtime found: " + wanted + " is neither at " +
                    join(configured, ", ") + " nor in the usual folders",
                "Install " + wanted + ", or name it in [runtime] paths of " +
                    "/etc/gantry/config.toml");
}

std::string default_root(RuntimeKind kind, const std::string& xdg_runtime_dir) {
    // Both take it for uid 0 of a rootless engine too (runc, main.go; crun, status.c).
    const bool rootless =
        !xdg_runtime_dir.empty() && (::geteuid() != 0 || in_user_namespace());
    return (rootless ? xdg_runtime_dir : std::string("/run")) + "/" + name_of(kind);
}

std::string effective_root(const std::string& root, RuntimeKind kind,
                           const std::string& xdg_runtime_dir, const std::string& bundle) {
    return root.empty() ? default_root(kind, xdg_runtime_dir) : root_of(kind, root, bundle);
}

std::vector<CandidateRoot> candidate_roots(const std::string& root,
                                           const std::string& xdg_runtime_dir) {
    std::vector<CandidateRoot> roots;
    for (const RuntimeKind kind : {RuntimeKind::Runc, RuntimeKind::Crun}) {
        if (!root.empty()) {
            roots.push_back({kind, root_of(kind, root, {})});
            continue;
        }
        const std::string usual = default_root(kind, xdg_runtime_dir);
        roots.push_back({kind, usual});
        if (::geteuid() != 0 || xdg_runtime_dir.empty()) continue;
        // With USER=root runc keeps to /run in a user namespace too.
        for (const std::string& folder : {xdg_runtime_dir, std::string("/run")})
            if (std::string other = folder + "/" + name_of(kind); other != usual)
                roots.push_back({kind, std::move(other)});
    }
    return roots;
}

std::optional<RuntimeKind> owner_of(const std::vector<CandidateRoot>& roots,
                                    const std::string& id) {
    if (id.empty() || id.find('/') != std::string::npos) return std::nullopt;
    for (const auto& [kind, candidate] : roots)
        if (exists(candidate + "/" + id + (kind == RuntimeKind::Crun ? "/status" : "/state.json")))
            return kind;
    return std::nullopt;
}

}  // namespace gantry::app
