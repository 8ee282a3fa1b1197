#include "app/settings.hpp"

#include <toml++/toml.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
constexpr std::int64_t kMinGflopsFloor = 100;
constexpr std::int64_t kMaxTimeoutSeconds = 90;  // kubelet gives a create 120 s

// What a key takes, for the message; empty where the value was accepted.
using Setter = std::string (*)(Settings&, const toml::node&);

template <class T>
struct Word {
    std::string_view name;
    T value;
};

template <class T, std::size_t N>
std::string set_word(const toml::node& node, const Word<T> (&words)[N], T& target) {
    std::string expected = "one of";
    const auto text = node.value_exact<std::string_view>();
    for (const Word<T>& word : words) {
        if (text == word.name) {
            target = word.value;
            return {};
        }
        expected += " \"" + std::string(word.name) + "\"";
    }
    return expected;
}

constexpr Word<request::EnvironmentPolicy> kEnvironmentWords[] = {
    {"auto", request::EnvironmentPolicy::Auto},
    {"allow", request::EnvironmentPolicy::Allow},
    {"privileged", request::EnvironmentPolicy::Privileged},
    {"deny", request::EnvironmentPolicy::Deny}};
constexpr Word<ProbePolicy> kPolicyWords[] = {
    {"fail", ProbePolicy::Fail}, {"warn", ProbePolicy::Warn}, {"off", ProbePolicy::Off}};
constexpr Word<ProbeLevel> kLevelWords[] = {{"access", ProbeLevel::Access},
                                            {"compute", ProbeLevel::Compute}};
constexpr Word<std::string_view> kLogWords[] = {
    {"debug", "debug"}, {"info", "info"}, {"warn", "warn"}, {"error", "error"}};

std::string set_absolute(const toml::node& node, std::string& target, bool may_be_empty) {
    const auto text = node.value_exact<std::string>();
    if (!text || !(text->starts_with('/') || (may_be_empty && text->empty())))
        return "an absolute path as a string";
    target = *text;
    return {};
}

std::string set_integer(const toml::node& node, std::int64_t low, std::int64_t high,
                        std::int64_t& target) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < low || *value > high)
        return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    target = *value;
    return {};
}

std::string set_host_root(Settings& s, const toml::node& n) {
    return set_absolute(n, s.host_root, false);
}
std::string set_runtime_paths(Settings& s, const toml::node& node) {
    constexpr const char* kExpected = "a list of absolute paths";
    const toml::array* list = node.as_array();
    if (!list || list->empty()) return kExpected;
    std::vector<std::string> paths;
    for (const toml::node& entry : *list) {
        std::string path;
        if (!set_absolute(entry, path, false).empty()) return kExpected;
        paths.push_back(std::move(path));
    }
    s.runtime_paths = std::move(paths);
    return {};
}
std::string set_environment(Settings& s, const toml::node& n) {
    return set_word(n, kEnvironmentWords, s.environment);
}
std::string set_policy(Settings& s, const toml::node& n) {
    return set_word(n, kPolicyWords, s.probe_policy);
}
std::string set_level(Settings& s, const toml::node& n) {
    return set_word(n, kLevelWords, s.probe_level);
}
std::string set_timeout(Settings& s, const toml::node& n) {
    std::int64_t seconds = 0;
    std::string problem = set_integer(n, 1, kMaxTimeoutSeconds, seconds);
    if (problem.empty()) s.probe_timeout = std::chrono::seconds(seconds);
    return problem;
}
std::string set_min_gflops(Settings& s, const toml::node& n) {
    return set_integer(n, kMinGflopsFloor, 1'000'000, s.min_gflops);
}
std::string set_log_file(Settings& s, const toml::node& n) {
    return set_absolute(n, s.log_file, true);
}
std::string set_log_level(Settings& s, const toml::node& n) {
    std::string_view level;
    std::string problem = set_word(n, kLogWords, level);
    if (problem.empty()) s.log_level = level;
    return problem;
}

std::string set_log_to_system(Settings& s, const toml::node& n) {
    const auto value = n.value_exact<bool>();
    if (!value) return "true or false";
    s.log_to_system = *value;
    return {};
}

struct Key {
    std::string_view section;  // empty: top level
    std::string_view name;
    Setter set;
};
constexpr Key kKeys[] = {
    {"", "host-root", set_host_root},
    {"runtime", "paths", set_runtime_paths},
    {"selection", "environment", set_environment},
    {"probe", "policy", set_policy},
    {"probe", "level", set_level},
    {"probe", "timeout", set_timeout},
    {"probe", "min-gflops", set_min_gflops},
    {"log", "file", set_log_file},
    {"log", "level", set_log_level},
    {"log", "system", set_log_to_system},
};

bool is_section(std::string_view name) {
    for (const Key& key : kKeys)
        if (!key.section.empty() && key.section == name) return true;
    return false;
}

class Reader {
public:
    Reader(const std::string& path, LoadedSettings& loaded) : path_(path), loaded_(loaded) {}

    void read(const toml::table& table, std::string_view section) {
        for (const auto& [name, node] : table) {
            const std::string_view key_name = name.str();
            if (!section.empty() || !is_section(key_name))
                apply(section, key_name, node);
            else if (node.is_table())
                read(*node.as_table(), key_name);
            else
                problem(node.source().begin.line,
                        std::string(key_name) + " must be a section: [" + std::string(key_name) + "]",
                        "Correct the line");
        }
    }

    void problem(std::uint32_t line, const std::string& what, const std::string& remedy) {
        // The first one is enough to act on; keys come in alphabetical order.
        if (loaded_.error && line >= line_) return;
        line_ = line;
        loaded_.error = Error{Code::ConfigInvalid,
                              printable(path_, 200) + ", line " + std::to_string(line) + ": " + what,
                              remedy};
    }

private:
    void apply(std::string_view section, std::string_view name, const toml::node& node) {
        const std::string whole =
            section.empty() ? std::string(name) : std::string(section) + "." + std::string(name);
        for (const Key& key : kKeys) {
            if (key.section != section || key.name != name) continue;
            if (const std::string expected = key.set(loaded_.settings, node); !expected.empty())
                problem(node.source().begin.line, whole + " must be " + expected,
                        "Correct the value");
            return;
        }
        problem(node.source().begin.line, "unknown key " + printable(whole),
                "Remove it or correct its name; the man page gantry.toml(5) lists all keys");
    }

    const std::string& path_;
    LoadedSettings& loaded_;
    std::uint32_t line_ = 0;
};

// Whoever can write the file decides which program runs as root.
std::optional<Error> unsafe(const std::string& path, const sys::FileIdentity& file) {
    const bool foreign = file.uid != 0 && file.uid != ::geteuid();
    if (!foreign && (file.mode & 022) == 0) return std::nullopt;
    const std::string name = printable(path, 150);
    return Error{Code::ConfigUnsafe, name + " can be written by others than root",
                 "Run: chown root:root " + name + " && chmod 644 " + name};
}

// A mistake elsewhere in the file must not send a container to another
// low-level runtime than the one that made it.
void read_runtime_paths_alone(std::string_view text, Settings& settings) {
    std::string section;
    bool inside = false;
    for (const std::string_view line : split(text, '\n')) {
        const std::string_view words = trim(line);
        if (words.starts_with('[')) inside = words.starts_with("[runtime]");
        if (inside) section.append(line).append("\n");
    }
    const toml::parse_result parsed = toml::parse(section);
    if (!parsed) return;
    if (const toml::node* paths = parsed.table()["runtime"]["paths"].node())
        (void)set_runtime_paths(settings, *paths);
}

// Most of the file is comments, and toml++ takes some 200 instructions a byte
// for them, at every verb of every container. Line numbers stay. A text with
// multi-line strings, the only place where a line that begins with "#" can be
// more than a comment, is left alone.
std::string without_comment_lines(std::string_view text) {
    for (const std::string_view multi_line : {"\"\"\"", "'''"})
        if (text.find(multi_line) != text.npos) return std::string(text);
    std::string kept;
    for (const std::string_view line : split(text, '\n')) {
        if (!trim(line).starts_with('#')) kept += line;
        kept += '\n';
    }
    return kept;
}

}  // namespace

LoadedSettings load_settings(const std::string& path) {
    LoadedSettings loaded;
    if (!path.starts_with('/')) {
        loaded.error = Error{Code::ConfigInvalid,
                             "GANTRY_CONFIG=\"" + printable(path) + "\" is no absolute path",
                             "Write the whole path, beginning with /"};
        return loaded;
    }
    const auto file = sys::read_regular_file(path, kMaxConfigBytes);
    if (!file) {
        if (errno != ENOENT && errno != ENOTDIR)
            loaded.error = Error{Code::ConfigInvalid, printable(path, 200) + ": " + errno_text(errno),
                                 "Make it a regular file of at most 1 MiB that root can read"};
        return loaded;
    }
    // Nothing of an unsafe file is used: its paths name programs to run.
    if ((loaded.error = unsafe(path, file->identity))) return loaded;
    const toml::parse_result parsed = toml::parse(without_comment_lines(file->text), path);
    Reader reader(path, loaded);
    if (!parsed) {
        reader.problem(parsed.error().source().begin.line,
                       "not TOML: " + printable(parsed.error().description(), 200),
                       "Correct the line");
        read_runtime_paths_alone(file->text, loaded.settings);
        return loaded;
    }
    reader.read(parsed.table(), "");
    return loaded;
}

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const Key& key : kKeys)
        names.push_back((key.section.empty() ? "" : std::string(key.section) + ".") +
                        std::string(key.name));
    return names;
}

std::string config_path(const std::vector<std::string>& environment) {
    constexpr std::string_view kName = "GANTRY_CONFIG=";
    for (const std::string& entry : environment)
        if (entry.starts_with(kName) && entry.size() > kName.size())
            return entry.substr(kName.size());
    return kDefaultConfigPath;
}

std::optional<ProbePolicy> parse_probe_policy(std::string_view text) {
    for (const auto& word : kPolicyWords)
        if (word.name == text) return word.value;
    return std::nullopt;
}

}  // namespace gantry::app
