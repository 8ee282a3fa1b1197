// The newest creates that were refused, for `gantryctl why`: the container is
// gone, and the engine may have shown a part of the error or none.
#pragma once

#include <string>
#include <vector>

#include "app/create_story.hpp"
#include "base/error.hpp"

namespace gantry::app {

struct Failure {
    std::string root, id, bundle, runtime;  // runtime: its path, empty where none was found
    std::string verb;                       // "create", "run", "restore"
    Error error;
    Story story;
};

inline constexpr std::size_t kMostFailures = 64;

// Never changes what becomes of the create: where it cannot be kept it is not.
void keep_failure(const std::string& state_folder, const Failure& failure);

// Newest first. A file that is half-written or not this user's is left out.
[[nodiscard]] std::vector<Failure> list_failures(const std::string& state_folder);

}  // namespace gantry::app
