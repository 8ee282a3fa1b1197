// What the low-level runtime's own state files say of a container: is it there,
// does it run, is it the one that a record is of? A record outlives its
// container where an engine was killed, and an id can be used again.
#pragma once

#include "app/record.hpp"

namespace gantry::app {

// Has the low-level runtime a container of that root and id?
[[nodiscard]] bool container_exists(const Record& record);

// Is its process alive, so that a delete without --force will refuse? False
// where that cannot be told.
[[nodiscard]] bool container_runs(const Record& record);

// A container of the other kind of low-level runtime has that id now. Cheap:
// for every verb.
[[nodiscard]] bool id_is_anothers(const Record& record);

// Its runtime's state file says another bundle or another time of creation than
// the record: the id was used again. False where that cannot be told.
[[nodiscard]] bool container_is_another(const Record& record);

// It is there, is the record's, and its process has not ended.
[[nodiscard]] bool container_is_live(const Record& record);

// /proc/sys/kernel/random/boot_id; empty where it cannot be read.
[[nodiscard]] std::string boot_id();

}  // namespace gantry::app
