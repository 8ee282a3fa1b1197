#include "probe/kernels/embedded.hpp"

// The table that embedded.S makes of targets.inc.
extern "C" const gantry::probe::CodeObject gantry_code_objects[];
extern "C" const unsigned gantry_code_object_count;

namespace gantry::probe {

static_assert(sizeof(CodeObject) == 24, "embedded.S lays out the table by this");

const CodeObject* code_objects() { return gantry_code_objects; }

unsigned code_object_count() { return gantry_code_object_count; }

}  // namespace gantry::probe
