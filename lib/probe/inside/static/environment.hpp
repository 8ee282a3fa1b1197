// The environment of the dynamic part: the container's, without what would put
// other code in the place of the loader's or the vendor's.
#pragma once

namespace gantry::probe::inside {

// Changes this process's environment; a `note` for each variable that goes, a
// `variable` for each that stays and decides what a library shows.
void clean_environment(int report_fd);

}  // namespace gantry::probe::inside
