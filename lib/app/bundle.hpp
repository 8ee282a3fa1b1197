// config.json on disk: read once, written atomically, and its original kept
// beside it, so that a create that meets its own edit starts from the original
// and comes to the same result.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace gantry::app {

inline constexpr std::size_t kMaxSpecBytes = std::size_t{16} << 20;

struct BundleSpec {
    std::string path;            // of the file, links resolved
    std::string current;         // its bytes now
    std::string kept_original;   // path of the kept original; empty if none was met
    std::string kept_text;       // its bytes
    sys::FileIdentity identity;

    // What to plan from.
    [[nodiscard]] const std::string& original() const {
        return kept_original.empty() ? current : kept_text;
    }
};

// nullopt and errno set where it cannot be read; EFBIG over kMaxSpecBytes.
[[nodiscard]] std::optional<BundleSpec> read_bundle_spec(const std::string& config_path);

// Puts `text` in place of config.json where it differs. The original is kept as
// ".<name>.gantry-original-<hash of text>", written first: whatever instant a
// kill comes at, config.json is old or new and an edit has its original.
[[nodiscard]] Status write_bundle_spec(const BundleSpec& spec, const std::string& text);

}  // namespace gantry::app
