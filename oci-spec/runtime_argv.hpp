// The command line of an OCI runtime, as engines write it and as runc
// (urfave/cli) and crun (argp) read it. Only reads: the argument vector is
// handed on unchanged.
//
// Where versions differ the more liberal reading counts: the stricter version
// refuses the command line itself, and nothing was lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::oci {

enum class RuntimeKind { Runc, Crun };

struct RuntimeArgv {
    // Global options. Empty where not given; the last one given counts.
    std::string root;
    std::string log;
    std::string log_format;
    std::string cgroup_manager;   // crun; empty where a later --systemd-cgroup overrides it
    bool systemd_cgroup = false;  // by either option
    std::optional<std::string> rootless;
    std::vector<std::string> globals;  // every token before the verb, as written

    std::string verb;  // empty: none ("--version", "--help", nothing)
    std::string id;    // first operand of the verb (crun mounts: the second), empty if none

    // Options of the verb. Relative paths start at the working directory, the
    // config file's too: crun resolves it before it enters the bundle.
    std::optional<std::string> bundle;       // nullopt: the working directory
    std::optional<std::string> config_file;  // crun -f/--config; nullopt: the bundle's config.json
    std::optional<std::string> pid_file;
    std::optional<std::string> process_file;    // exec
    std::optional<std::string> resources_file;  // update; "-" is stdin
    bool no_pivot = false;
    bool no_new_keyring = false;
    bool force = false;  // delete

    // No version of that kind does anything with this command line but print a
    // usage text or help; Gantry then hands over and lets it do so.
    bool usage_error = false;
    // There is an option that no version known here has. A newer one may, so
    // this alone is no reason to hand over; bundle and id are the best guess.
    bool unknown_option = false;
};

// `arguments` is argv without argv[0]. Never fails.
[[nodiscard]] RuntimeArgv parse_runtime_argv(const std::vector<std::string_view>& arguments,
                                             RuntimeKind kind);

}  // namespace gantry::oci
