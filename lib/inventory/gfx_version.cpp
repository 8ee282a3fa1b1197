#include <cstdio>

#include "inventory/inventory.hpp"

namespace gantry::inventory {

GfxVersion decode_gfx_target_version(std::uint64_t value) {
    return {static_cast<unsigned>(value / 10000), static_cast<unsigned>(value / 100 % 100),
            static_cast<unsigned>(value % 100)};
}

std::string GfxVersion::target() const {
    char text[40];
    std::snprintf(text, sizeof text, "gfx%u%x%x", major, minor, stepping);
    return text;
}

std::string GfxVersion::override_text() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(stepping);
}

}  // namespace gantry::inventory
