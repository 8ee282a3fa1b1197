// From the text of the configuration to settings.
#include "app/settings.hpp"

#include <algorithm>

#include "app/settings_file.hpp"
#include "app/settings_key.hpp"
#include "base/text.hpp"

namespace gantry::app {
namespace {

const SettingKey* find_key(std::string_view section, std::string_view name) {
    for (const SettingKey& key : setting_keys())
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

bool is_section(std::string_view name) {
    return !name.empty() &&
           std::ranges::find(setting_keys(), name, &SettingKey::section) != setting_keys().end();
}

class Reader {
public:
    Reader(const std::string& path, LoadedSettings& loaded) : path_(path), loaded_(loaded) {}

    void read(const toml::table& table, std::string_view section) {
        for (const auto& [name, node] : table) {
            const std::string whole = whole_name(section, name.str());
            if (!is_section(whole))
                apply(section, name.str(), node);
            else if (node.is_table())
                read(*node.as_table(), whole);
            else
                problem(node.source().begin.line, whole + " must be a section: [" + whole + "]",
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
    static std::string whole_name(std::string_view section, std::string_view name) {
        return section.empty() ? std::string(name)
                               : std::string(section) + "." + std::string(name);
    }

    void apply(std::string_view section, std::string_view name, const toml::node& node) {
        const std::string whole = whole_name(section, name);
        const SettingKey* key = find_key(section, name);
        if (!key)
            problem(node.source().begin.line, "unknown key " + printable(whole),
                    "Remove it or correct its name; the man page gantry.toml(5) lists all keys");
        else if (const std::string expected = key->set(loaded_.settings, node); !expected.empty())
            problem(node.source().begin.line, whole + " must be " + expected, "Correct the value");
    }

    const std::string& path_;
    LoadedSettings& loaded_;
    std::uint32_t line_ = 0;
};

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
        (void)find_key("runtime", "paths")->set(settings, *paths);
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
    auto text = read_settings_file(path);
    if (!text) {
        loaded.error = std::move(text.error());
        return loaded;
    }
    if (!*text) return loaded;
    const toml::parse_result parsed = toml::parse(without_comment_lines(**text), path);
    Reader reader(path, loaded);
    if (parsed) {
        reader.read(parsed.table(), "");
        return loaded;
    }
    reader.problem(parsed.error().source().begin.line,
                   "not TOML: " + printable(parsed.error().description(), 200), "Correct the line");
    read_runtime_paths_alone(**text, loaded.settings);
    return loaded;
}

}  // namespace gantry::app
