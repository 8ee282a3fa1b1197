// The command line of an OCI runtime, as engines write it and as runc
// (urfave/cli) and crun (argp) read it. Only reads: the argument vector is
// handed on unchanged.
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
    std::string cgroup_manager;   // crun
    bool systemd_cgroup = false;
    std::optional<std::string> rootless;
    std::vector<std::string> globals;  // every token before the verb, as written

    std::string verb;  // empty: none ("--version", "--help", nothing)
    std::string id;    // first operand of the verb, empty if none

    // Options of the verb.
    std::optional<std::string> bundle;       // nullopt: the working directory
    std::optional<std::string> config_file;  // crun -f/--config
    std::optional<std::string> pid_file;
    std::optional<std::string> process_file;  // exec
    bool no_pivot = false;
    bool no_new_keyring = false;
    bool force = false;  // delete

    // The low-level runtime of that kind will refuse this command line; Gantry
    // then hands over and lets it say so.
    bool usage_error = false;
};

// `arguments` is argv without argv[0]. Never fails.
[[nodiscard]] RuntimeArgv parse_runtime_argv(const std::vector<std::string_view>& arguments,
                                             RuntimeKind kind);

}  // namespace gantry::oci
