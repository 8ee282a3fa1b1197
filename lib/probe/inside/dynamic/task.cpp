#include "probe/inside/dynamic/task.hpp"

#include <cstring>

#include <strings.h>

#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

bool equals(const char* entry, std::size_t length, const char* text) {
    return std::strlen(text) == length && ::strncasecmp(entry, text, length) == 0;
}

}  // namespace

bool Grants::take(const char* pci_address) {
    const char* entry = list_;
    for (unsigned i = 0; i < kMaxGpus && *entry != '\0'; ++i) {
        const std::size_t length = std::strcspn(entry, ",");
        if (!taken_[i] && (equals(entry, length, kAnyGpu) || equals(entry, length, pci_address)))
            return taken_[i] = true;
        entry += length + (entry[length] == ',' ? 1 : 0);
    }
    return false;
}

}  // namespace gantry::probe::inside
