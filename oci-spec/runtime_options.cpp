#include "oci-spec/runtime_options.hpp"

namespace gantry::oci {
namespace {

using enum Takes;
using enum Meaning;

constexpr std::uint32_t kStarts = kCreate | kRun;
constexpr std::uint32_t kCriu = kRestore | kCheckpoint;

// runc 1.1 to 1.6-dev (main.go and one .go file a verb) and crun 1.8 to 1.29
// (src/crun.c and one .c file a verb), united: an option that just some version
// has is in, since the others refuse it themselves.
constexpr RuntimeOption kOptions[] = {
    {"help", 'h', Nothing, PrintsOnly, kEverywhere, 0},
    {"help", '?', Nothing, PrintsOnly, 0, kEverywhere},
    {"usage", 0, Nothing, PrintsOnly, 0, kEverywhere},
    {"version", 'v', Nothing, PrintsOnly, kGlobal, kGlobal},
    {"version", 'V', Nothing, PrintsOnly, 0, kGlobal},
    {"program-name", 0, Value, None, 0, kEverywhere},  // argp's own, not in --help
    {"HANG", 0, MaybeValue, None, 0, kEverywhere},     // argp's own, not in --help

    {"root", 0, Value, Root, kGlobal, kGlobal},
    {"log", 0, Value, Log, kGlobal, kGlobal},
    {"log-format", 0, Value, LogFormat, kGlobal, kGlobal},
    {"log-level", 0, Value, None, 0, kGlobal},
    {"debug", 0, Nothing, None, kGlobal, kGlobal},
    {"criu", 0, Value, None, kGlobal, 0},  // gone in runc 1.4
    {"systemd-cgroup", 0, Nothing, SystemdCgroup, kGlobal, kGlobal},
    {"cgroup-manager", 0, Value, CgroupManager, 0, kGlobal},
    {"rootless", 0, Value, Rootless, kGlobal, kGlobal},

    {"bundle", 'b', Value, Bundle, kStarts | kRestore | kSpec, kStarts | kRestore | kSpec},
    {"config", 'f', Value, ConfigFile, 0, kStarts},
    {"console-socket", 0, Value, None, kStarts | kRestore | kExec, kStarts | kRestore | kExec},
    {"pidfd-socket", 0, Value, None, kStarts | kExec, 0},
    {"pid-file", 0, Value, PidFile, kStarts | kRestore | kExec, kStarts | kRestore | kExec},
    {"preserve-fds", 0, Value, None, kStarts | kExec, kStarts | kExec},
    {"no-pivot", 0, Nothing, NoPivot, kStarts | kRestore, kStarts},
    {"no-new-keyring", 0, Nothing, NoNewKeyring, kStarts, kStarts},
    {"no-subreaper", 0, Nothing, None, kRun | kRestore, kStarts},
    {"keep", 0, Nothing, None, kRun, kRun},
    {"detach", 'd', Nothing, None, kRun | kRestore | kExec, kRun | kRestore | kExec},

    {"process", 'p', Value, ProcessFile, kExec, kExec},
    {"cwd", 0, Value, None, kExec, kExec},
    {"env", 'e', Value, None, kExec, kExec},
    {"user", 'u', Value, None, kExec, kExec},
    {"cap", 'c', Value, None, kExec, kExec},
    {"additional-gids", 'g', Value, None, kExec, 0},
    {"cgroup", 0, Value, None, kExec, kExec},
    {"process-label", 0, Value, None, kExec, kExec},
    {"apparmor", 0, Value, None, kExec, kExec},
    {"no-new-privs", 0, Nothing, None, kExec, kExec},
    {"ignore-paused", 0, Nothing, None, kExec, 0},
    {"tty", 't', Nothing, None, kExec, 0},
    {"tty", 't', MaybeValue, None, 0, kExec},

    {"force", 'f', Nothing, Force, kDelete, kDelete},
    {"regex", 'r', Nothing, None, 0, kDelete | kKill},
    {"all", 'a', Nothing, None, kKill, kKill},
    {"format", 'f', Value, None, kPs | kList, kPs | kList},
    {"quiet", 'q', Nothing, None, kList, kList},
    {"file", 'f', Value, None, 0, kSpec},
    {"rootless", 0, Nothing, None, kSpec, kSpec},
    {"interval", 0, Value, None, kEvents, 0},
    {"stats", 0, Nothing, None, kEvents, 0},

    {"resources", 'r', Value, ResourcesFile, kUpdate, kUpdate},
    {"blkio-weight", 0, Value, None, kUpdate, kUpdate},
    {"cpu-period", 0, Value, None, kUpdate, kUpdate},
    {"cpu-quota", 0, Value, None, kUpdate, kUpdate},
    {"cpu-burst", 0, Value, None, kUpdate, 0},
    {"cpu-idle", 0, Value, None, kUpdate, 0},
    {"cpu-share", 0, Value, None, kUpdate, kUpdate},
    {"cpu-rt-period", 0, Value, None, kUpdate, kUpdate},
    {"cpu-rt-runtime", 0, Value, None, kUpdate, kUpdate},
    {"cpuset-cpus", 0, Value, None, kUpdate, kUpdate},
    {"cpuset-mems", 0, Value, None, kUpdate, kUpdate},
    {"kernel-memory", 0, Value, None, kUpdate, kUpdate},
    {"kernel-memory-tcp", 0, Value, None, kUpdate, kUpdate},
    {"memory", 0, Value, None, kUpdate, kUpdate},
    {"memory-reservation", 0, Value, None, kUpdate, kUpdate},
    {"memory-swap", 0, Value, None, kUpdate, kUpdate},
    {"pids-limit", 0, Value, None, kUpdate, kUpdate},
    {"l3-cache-schema", 0, Value, None, kUpdate, kUpdate},
    {"mem-bw-schema", 0, Value, None, kUpdate, kUpdate},

    {"image-path", 0, Value, None, kCriu, kCriu},
    {"work-path", 0, Value, None, kCriu, kCriu},
    {"parent-path", 0, Value, None, kCheckpoint, kCheckpoint},
    {"manage-cgroups-mode", 0, Value, None, kCriu, kCriu},
    {"empty-ns", 0, Value, None, kCriu, 0},
    {"status-fd", 0, Value, None, kCheckpoint, 0},
    {"page-server", 0, Value, None, kCheckpoint, 0},
    {"lsm-profile", 0, Value, None, kRestore, kRestore},
    {"lsm-mount-context", 0, Value, None, kRestore, kRestore},
    // crun reads a value for it but never asks getopt for one: the next word
    // is the value all the same.
    {"network-lock", 0, Value, None, 0, kCriu},
    {"leave-running", 0, Nothing, None, kCheckpoint, kCheckpoint},
    {"pre-dump", 0, Nothing, None, kCheckpoint, kCheckpoint},
    {"tcp-established", 0, Nothing, None, kCriu, kCriu},
    {"tcp-skip-in-flight", 0, Nothing, None, kCheckpoint, 0},
    {"tcp-close", 0, Nothing, None, 0, kRestore},
    {"link-remap", 0, Nothing, None, kCheckpoint, 0},
    {"ext-unix-sk", 0, Nothing, None, kCriu, kCriu},
    {"shell-job", 0, Nothing, None, kCriu, kCriu},
    {"file-locks", 0, Nothing, None, kCriu, kCriu},
    {"auto-dedup", 0, Nothing, None, kCriu, 0},
    {"lazy-pages", 0, Nothing, None, kCriu, 0},
};

constexpr RuntimeVerb kVerbs[] = {
    {.name = "create", .scope = kCreate, .one_operand = true},
    {.name = "run", .scope = kRun, .one_operand = true},
    {.name = "restore", .scope = kRestore},  // crun takes a second operand
    {.name = "exec", .scope = kExec, .ends_at_operand = true},
    {.name = "delete", .scope = kDelete},
    {.name = "kill", .scope = kKill, .ends_at_operand = true},
    {.name = "update", .scope = kUpdate},
    {.name = "checkpoint", .scope = kCheckpoint},
    {.name = "ps", .scope = kPs, .ends_at_operand = true},
    {.name = "list", .scope = kList},
    {.name = "spec", .scope = kSpec},
    {.name = "events", .scope = kEvents},
    {.name = "start", .scope = kPlain},
    {.name = "state", .scope = kPlain},
    {.name = "pause", .scope = kPlain},
    {.name = "resume", .scope = kPlain},
    {.name = "features", .scope = kPlain},
    {.name = "mounts", .scope = kPlain, .id_at = 1},  // mounts add ID FILE
};

}  // namespace

std::uint32_t scopes_of(const RuntimeOption& option, RuntimeKind kind) {
    return kind == RuntimeKind::Runc ? option.runc : option.crun;
}

const RuntimeVerb* find_runtime_verb(std::string_view word) {
    for (const RuntimeVerb& verb : kVerbs)
        if (verb.name == word) return &verb;
    return nullptr;
}

const RuntimeOption* find_option(std::string_view name, std::uint32_t scope, RuntimeKind kind) {
    for (const RuntimeOption& option : kOptions)
        if ((scopes_of(option, kind) & scope) && option.name == name) return &option;
    return nullptr;
}

const RuntimeOption* find_letter(char letter, std::uint32_t scope, RuntimeKind kind) {
    for (const RuntimeOption& option : kOptions)
        if ((scopes_of(option, kind) & scope) && option.letter == letter) return &option;
    return nullptr;
}

Abbreviated find_abbreviated(std::string_view name, std::uint32_t scope, RuntimeKind kind) {
    if (const RuntimeOption* exact = find_option(name, scope, kind)) return {exact, false};
    Abbreviated found;
    for (const RuntimeOption& option : kOptions) {
        if (!(scopes_of(option, kind) & scope) || !option.name.starts_with(name)) continue;
        // The same name twice (help, version) is one option with two letters.
        if (found.option && found.option->name != option.name) return {nullptr, true};
        found.option = &option;
    }
    return found;
}

}  // namespace gantry::oci
