#include "app/bundle.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace gantry::app {
namespace {

// FNV-1a, but eight bytes a step: a spec has some 60 KiB and is hashed twice a
// create. Tells our own edit from anybody else's. Not against forgery: who can
// write to a bundle needs no trick.
std::string edit_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ text.size();
    // The turn brings the upper bits down, which a product alone never does.
    const auto mix = [&](std::uint64_t word) {
        hash = std::rotl((hash ^ word) * 0x100000001b3U, 29);
    };
    std::uint64_t word = 0;
    for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
        std::memcpy(&word, text.data(), sizeof word);
        mix(word);
    }
    word = 0;
    std::memcpy(&word, text.data(), text.size());
    mix(word);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

std::string original_path(const std::string& config_path, const std::string& edited) {
    const std::size_t slash = config_path.rfind('/');
    return config_path.substr(0, slash + 1) + "." + config_path.substr(slash + 1) +
           ".gantry-original-" + edit_hash(edited);
}

}  // namespace

std::optional<BundleSpec> read_bundle_spec(const std::string& config_path) {
    auto file = sys::read_regular_file(config_path, kMaxSpecBytes);
    if (!file) return std::nullopt;
    BundleSpec spec{std::move(file->real_path), std::move(file->text), {}, {}, file->identity};
    const std::string kept = original_path(spec.path, spec.current);
    if (auto original = sys::read_regular_file(kept, kMaxSpecBytes)) {
        spec.kept_text = std::move(original->text);
        spec.kept_original = kept;
    }
    return spec;
}

Status write_bundle_spec(const BundleSpec& spec, const std::string& text) {
    if (text == spec.current) return {};
    const bool edited = text != spec.original();
    const std::string kept = original_path(spec.path, text);
    if (edited) GANTRY_CHECK(sys::replace_file(kept, spec.original(), spec.identity));
    if (auto written = sys::replace_file(spec.path, text, spec.identity); !written) {
        if (edited) sys::remove_file(kept);
        return written;
    }
    // The original of the edit that is gone now.
    if (!spec.kept_original.empty() && spec.kept_original != kept)
        sys::remove_file(spec.kept_original);
    return {};
}

}  // namespace gantry::app
