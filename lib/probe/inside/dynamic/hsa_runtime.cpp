#include "probe/inside/dynamic/hsa_runtime.hpp"

namespace gantry::probe::inside {

bool HsaRuntime::get_calls(VendorLibrary& library) {
#define GANTRY_HSA_GET(member, symbol, parameters) \
    if (!library.get(member, #symbol)) return false;
    GANTRY_HSA_CALLS(GANTRY_HSA_GET)
#undef GANTRY_HSA_GET
    library.get_optional(status_string, "hsa_status_string");
    library.get_optional(register_event_handler, "hsa_amd_register_system_event_handler");
    return library.get(signal_load, "hsa_signal_load_scacquire") &&
           library.get(signal_store, "hsa_signal_store_screlease") &&
           library.get(add_write_index, "hsa_queue_add_write_index_relaxed");
}

const char* HsaRuntime::name_of(HsaStatus status) const {
    const char* text = nullptr;
    return status_string && status_string(status, &text) == kHsaSuccess ? text : nullptr;
}

}  // namespace gantry::probe::inside
