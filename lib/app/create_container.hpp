// Everything between an engine's create and the low-level runtime's: request,
// plan, edit, GPU check, record, and config.json last.
#pragma once

#include <string>
#include <vector>

#include "app/create_story.hpp"
#include "app/runtime_choice.hpp"
#include "app/settings.hpp"
#include "base/error.hpp"
#include "oci-spec/runtime_argv.hpp"

namespace gantry::app {

struct CreateCall {
    const LoadedSettings& loaded;
    const oci::RuntimeArgv& arguments;
    const LowLevelRuntime& runtime;
    const std::vector<std::string>& environment;
};

// Success: hand over to the low-level runtime, with config.json edited if the
// container asks for a GPU and untouched if it does not. An error: the
// container must not start, and nothing was changed. `story` tells how it came
// to that; it has no part in it.
[[nodiscard]] Status prepare_create(const CreateCall& call, Story& story);

// Takes a successful one back, where the low-level runtime cannot be executed.
void undo_create(const CreateCall& call);

}  // namespace gantry::app
