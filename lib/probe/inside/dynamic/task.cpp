#include "probe/inside/dynamic/task.hpp"

#include <cstring>

#include <strings.h>

#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

template <class Visit>
void for_each_entry(const char* list, Visit visit) {
    while (*list != '\0') {
        const std::size_t length = std::strcspn(list, ",");
        visit(list, length);
        list += length + (list[length] == ',' ? 1 : 0);
    }
}

bool equals(const char* entry, std::size_t length, const char* text) {
    return std::strlen(text) == length && ::strncasecmp(entry, text, length) == 0;
}

}  // namespace

unsigned granted(const Task& task, const char* pci_address) {
    unsigned count = 0;
    for_each_entry(task.gpus, [&](const char* entry, std::size_t length) {
        count += equals(entry, length, kAnyGpu) || equals(entry, length, pci_address) ? 1 : 0;
    });
    return count;
}

unsigned granted_count(const Task& task) {
    unsigned count = 0;
    for_each_entry(task.gpus, [&](const char*, std::size_t) { ++count; });
    return count;
}

}  // namespace gantry::probe::inside
