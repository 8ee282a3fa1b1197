// A key of the configuration as data: where it stands and what it takes.
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.hpp"

namespace gantry::app {

// What the key takes, for the message; empty where the value was accepted.
using Setter = std::string (*)(Settings&, const toml::node&);

struct SettingKey {
    std::string_view section;  // empty: top level
    std::string_view name;
    Setter set;
};

// In the order of config/config.toml.
[[nodiscard]] std::span<const SettingKey> setting_keys();

template <class T>
struct Word {
    std::string_view name;
    T value;
};

// Setters for the rows of the table, each for one member of Settings.

template <auto Member, const auto& Words>
std::string one_of(Settings& settings, const toml::node& node) {
    std::string expected = "one of";
    const auto text = node.value_exact<std::string_view>();
    for (const auto& word : Words) {
        if (text == word.name) {
            settings.*Member = word.value;
            return {};
        }
        expected += " \"" + std::string(word.name) + "\"";
    }
    return expected;
}

template <auto Member>
std::string boolean(Settings& settings, const toml::node& node) {
    const auto value = node.value_exact<bool>();
    if (!value) return "true or false";
    settings.*Member = *value;
    return {};
}

// Of an integer or of a duration in its own unit.
template <auto Member, std::int64_t Low, std::int64_t High>
std::string whole_number(Settings& settings, const toml::node& node) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < Low || *value > High)
        return "a whole number from " + std::to_string(Low) + " to " + std::to_string(High);
    using Target = std::remove_reference_t<decltype(settings.*Member)>;
    settings.*Member = Target(*value);
    return {};
}

enum class Empty { Refuse, Allow };

template <auto Member, Empty MayBe = Empty::Refuse>
std::string absolute_path(Settings& settings, const toml::node& node) {
    const auto text = node.value_exact<std::string>();
    if (!text || !(text->starts_with('/') || (MayBe == Empty::Allow && text->empty())))
        return "an absolute path as a string";
    settings.*Member = *text;
    return {};
}

// `Fits` tells whether one entry may be in the list.
template <auto Member, bool (*Fits)(std::string_view), const char* const& Expected,
          Empty MayBe = Empty::Refuse>
std::string list_of(Settings& settings, const toml::node& node) {
    const toml::array* list = node.as_array();
    if (!list || (MayBe == Empty::Refuse && list->empty())) return Expected;
    std::vector<std::string> entries;
    for (const toml::node& entry : *list) {
        const auto text = entry.value_exact<std::string>();
        if (!text || !Fits(*text)) return Expected;
        entries.push_back(*text);
    }
    settings.*Member = std::move(entries);
    return {};
}

}  // namespace gantry::app
