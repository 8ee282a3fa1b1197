// Gantry's own log. Engines swallow what a successful runtime says, so notices
// and warnings go here. Nothing about it can fail a verb: a log that cannot be
// opened is no log.
#pragma once

#include <string>

#include "app/create_story.hpp"
#include "app/settings.hpp"

namespace gantry::app {

enum class LogLevel { Debug, Info, Warn, Error };

// One line: time, level, container id ("-" for none), text; before the text the
// pod, and the GPU where the text does not name it. The same goes to the system's
// log unless the configuration says otherwise.
void log_line(const Settings& settings, LogLevel level, const std::string& container,
              const std::string& text, const Story& story = {});

}  // namespace gantry::app
