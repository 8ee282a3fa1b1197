// The options of runc and crun, as far as the way they are read depends on
// them: which verb takes them, whether a value follows, and what it means here.
#pragma once

#include <cstdint>
#include <string_view>

#include "oci-spec/runtime_argv.hpp"

namespace gantry::oci {

// Verbs as a set; Global is the part of the command line before the verb.
enum Scope : std::uint32_t {
    kGlobal = 1,
    kCreate = 2,
    kRun = 4,
    kRestore = 8,
    kExec = 16,
    kDelete = 32,
    kKill = 64,
    kUpdate = 128,
    kCheckpoint = 256,
    kPs = 512,
    kList = 1024,
    kSpec = 2048,
    kEvents = 4096,
    kPlain = 8192,  // start, state, pause, … and any verb not known here
    kEverywhere = UINT32_MAX,
};

enum class Takes : std::uint8_t { Nothing, Value, MaybeValue };

enum class Meaning : std::uint8_t {
    None,
    PrintsOnly,  // --help, --version: nothing else happens
    Root, Log, LogFormat, CgroupManager, SystemdCgroup, Rootless,
    Bundle, ConfigFile, PidFile, ProcessFile, ResourcesFile, NoPivot, NoNewKeyring, Force,
};

struct RuntimeOption {
    std::string_view name;
    char letter;  // '\0': none
    Takes takes;
    Meaning meaning;
    std::uint32_t runc, crun;  // scopes where each of them has it
};

struct RuntimeVerb {
    std::string_view name;
    std::uint32_t scope;
    bool one_operand = false;      // exactly the container id
    bool ends_at_operand = false;  // runc too reads no options after the id
    std::uint8_t id_at = 0;        // which operand the id is
};

[[nodiscard]] std::uint32_t scopes_of(const RuntimeOption& option, RuntimeKind kind);

// nullptr for a word that neither runtime has as a verb.
[[nodiscard]] const RuntimeVerb* find_runtime_verb(std::string_view word);
// Exact name (for runc a letter counts as a name).
[[nodiscard]] const RuntimeOption* find_option(std::string_view name, std::uint32_t scope,
                                               RuntimeKind kind);
[[nodiscard]] const RuntimeOption* find_letter(char letter, std::uint32_t scope, RuntimeKind kind);

struct Abbreviated {
    const RuntimeOption* option = nullptr;
    bool ambiguous = false;
};
// As getopt_long does it: the exact name, else the only one that begins so.
[[nodiscard]] Abbreviated find_abbreviated(std::string_view name, std::uint32_t scope,
                                           RuntimeKind kind);

}  // namespace gantry::oci
