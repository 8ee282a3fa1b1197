// Where images keep ROCm's libraries that the loader does not know of.
#pragma once

namespace gantry::probe::inside {

// For VendorLibrary::load(): ends with nullptr, valid until the next call.
[[nodiscard]] const char* const* rocm_folders();

}  // namespace gantry::probe::inside
