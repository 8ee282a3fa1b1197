// Gantry's configuration: /etc/gantry/config.toml, or the absolute path in
// GANTRY_CONFIG (gantry-hook: --config only). Every key stands with its default
// in config/config.toml.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/warnings.hpp"
#include "probe/outcome.hpp"
#include "request/request.hpp"

namespace gantry::app {

enum class ProbePolicy { Fail, Warn, Off };  // the softer, the later
enum class ProbeLevel { Access, Compute };  // nodes only; nodes and vendor library

struct Settings {
    std::string host_root = "/";
    bool inject = true;            // false: others inject, Gantry checks
    std::vector<std::string> runtime_paths = {"/usr/sbin/runc", "/usr/bin/runc", "/usr/bin/crun"};
    request::EnvironmentPolicy environment = request::EnvironmentPolicy::Auto;
    std::vector<std::string> trusted_namespaces = {"kube-system"};
    ProbePolicy probe_policy = ProbePolicy::Fail;
    ProbeLevel probe_level = ProbeLevel::Compute;
    std::chrono::seconds probe_timeout{20};
    std::int64_t min_gflops = 0;        // 0: 500, or a tenth of the known peak where that is less
    double min_fraction_of_peak = 0;
    bool probe_by_hip = false;          // AMD's GPUs through HIP instead of HSA
    bool probe_by_container = false;    // GANTRY_PROBE of the container may soften the policy
    probe::OutcomeSwitches verdicts;
    // No keys: of a long check, which `gantryctl probe` alone asks for.
    unsigned probe_rounds = 1, probe_round_ms = 100;
    plan::WarningSwitches warnings;
    std::string log_file = "/var/log/gantry.log";  // empty: none
    std::string log_level = "info";
    bool log_to_system = true;     // journald or syslog too

    bool operator==(const Settings&) const = default;
};

struct LoadedSettings {
    Settings settings;           // what could be read; defaults for the rest
    std::optional<Error> error;  // the first thing wrong with the file
};

inline constexpr const char* kDefaultConfigPath = "/etc/gantry/config.toml";

// Never fails as a whole: a broken file must not stop containers that ask for
// no GPU, so the caller decides what `error` means. A missing file is no error.
// Errors: ConfigInvalid (with file, line and key), ConfigUnsafe. Of a file that
// is not TOML at least [runtime] paths counts, if that section can be read.
[[nodiscard]] LoadedSettings load_settings(const std::string& path);

// "host-root", "runtime.paths", …: every key that there is.
[[nodiscard]] std::vector<std::string> setting_names();

// The path that counts for the shim and gantryctl. A relative GANTRY_CONFIG is
// an error of the loaded settings, so it comes back as written.
[[nodiscard]] std::string config_path(const std::vector<std::string>& environment);

// "fail", "warn", "off"; nullopt for anything else.
[[nodiscard]] std::optional<ProbePolicy> parse_probe_policy(std::string_view text);

}  // namespace gantry::app
