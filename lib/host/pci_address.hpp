// domain:bus:device.function as sysfs writes it. Domains can have more than four
// digits (Intel VMD: 10000:01:00.0), so text order is not numeric order.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace gantry::host {

struct PciAddress {
    std::uint64_t domain = 0;
    unsigned bus = 0, device = 0, function = 0;
    auto operator<=>(const PciAddress&) const = default;

    [[nodiscard]] std::string text() const {
        char buffer[48];
        std::snprintf(buffer, sizeof buffer, "%04llx:%02x:%02x.%x",
                      static_cast<unsigned long long>(domain), bus, device, function);
        return buffer;
    }
};

[[nodiscard]] inline std::optional<PciAddress> parse_pci_address(std::string_view text) {
    // From the end, because only the domain's width varies: "0000" + ":03:00.0".
    constexpr std::size_t kTail = 8;
    if (text.size() < kTail + 4 || text.size() > kTail + 8) return std::nullopt;
    const std::string_view tail = text.substr(text.size() - kTail);
    if (tail[0] != ':' || tail[3] != ':' || tail[6] != '.') return std::nullopt;
    const auto domain = parse_hex(text.substr(0, text.size() - kTail));
    const auto bus = parse_hex(tail.substr(1, 2));
    const auto device = parse_hex(tail.substr(4, 2));
    const auto function = parse_hex(tail.substr(7, 1));
    if (!domain || !bus || !device || !function || *device > 31 || *function > 7)
        return std::nullopt;
    return PciAddress{*domain, static_cast<unsigned>(*bus), static_cast<unsigned>(*device),
                      static_cast<unsigned>(*function)};
}

}  // namespace gantry::host
