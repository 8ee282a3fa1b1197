// Looking up what a selector names.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.hpp"
#include "request/request.hpp"

namespace gantry::request {
namespace {

using inventory::Gpu;
using inventory::Vendor;

const char* vendor_name(Vendor vendor) { return vendor == Vendor::Amd ? "AMD" : "NVIDIA"; }

// One word of the request, read once: there can be hundreds, and 64 GPUs to
// hold each against.
struct Selector {
    explicit Selector(std::string_view word) : text(to_lower(word)) {
        if (word.size() <= 8) index = parse_decimal(word);
        // AMD: "GPU-…", "0x…" and bare hexadecimal, in any case.
        std::string_view digits = text;
        if (digits.starts_with("gpu-")) digits.remove_prefix(4);
        if (digits.starts_with("0x")) digits.remove_prefix(2);
        // Eight digits and fewer would be taken for an index by AMD's own toolkit.
        const bool marked = digits.size() != text.size();
        if (marked || digits.size() > 8) number = parse_hex(digits);
        if (number == 0) number.reset();
    }
    std::string text;
    std::optional<std::uint64_t> index, number;
};

struct Candidate {
    explicit Candidate(const Gpu* of)
        : gpu(of), id(to_lower(of->unique_id)), number(parse_hex(of->unique_id)) {}

    [[nodiscard]] bool is(const Selector& selector) const {
        if (selector.index) return *selector.index == gpu->index;
        if (selector.text == gpu->pci_address) return true;
        // NVIDIA's UUID counts in full.
        if (gpu->vendor == Vendor::Nvidia) return !id.empty() && selector.text == id;
        return selector.number && selector.number == number;
    }
    const Gpu* gpu;
    std::string id;
    std::optional<std::uint64_t> number;
};

// With the value where it is short: what to do must stand within the first 120
// bytes of the line, which is what engines and people look at.
std::string as_given(const VendorRequest& request) {
    constexpr std::size_t kShort = 16;
    return request.value.size() > kShort
               ? request.variable
               : request.variable + "=\"" + printable(request.value, 4 * kShort) + "\"";
}

Error unknown(const inventory::Inventory& inventory, Vendor vendor, const VendorRequest& request,
              std::string_view selector) {
    const std::string existing = describe_gpus(inventory, vendor);
    return {Code::SelectorUnknown,
            std::string(vendor_name(vendor)) + " GPU \"" + printable(selector, 48) +
                "\" is not on this host (" + as_given(request) + ")",
            "Use one of: " + existing};
}

// A file of the host cannot be read: to leave out the GPU that it is of, or to give
// the next one in its place, would be a guess.
Error unread(const inventory::Inventory& inventory, Vendor vendor, const VendorRequest& request,
             const std::string& cause) {
    return {Code::HostUnreadable,
            std::string(vendor_name(vendor)) + " GPUs not all known: " + cause,
            "Ask for another by PCI address; dmesg tells of this one, which " + as_given(request) +
                " may mean. There are: " + describe_gpus(inventory, vendor)};
}

Error no_gpu(Vendor vendor, const VendorRequest& request) {
    const std::string name = vendor_name(vendor);
    return {Code::NoGpu,
            "No usable " + name + " GPU on this host, but the container asks for one (" +
                (request.variable.empty() ? std::string("devices in its spec")
                                          : as_given(request)) +
                ")",
            (request.variable.empty() ? "Remove the devices"
                                      : "Set " + request.variable + "=void to run without") +
                ", or see why with: gantryctl list"};
}

}  // namespace

Result<std::vector<const Gpu*>> select_gpus(const inventory::Inventory& inventory, Vendor vendor,
                                            const VendorRequest& request) {
    std::vector<const Gpu*> usable;
    const std::vector<const Gpu*> every = inventory.of(vendor);
    std::ranges::copy_if(every, std::back_inserter(usable),
                         [](const Gpu* gpu) { return gpu->unusable.empty(); });
    if (request.none) return std::vector<const Gpu*>{};
    const std::string missing = inventory.unread(vendor);
    const auto unknown_host = [&] {
        return std::unexpected(unread(inventory, vendor, request, missing));
    };
    if (!missing.empty() && (usable.empty() || request.all)) return unknown_host();
    if (usable.empty()) return std::unexpected(no_gpu(vendor, request));
    if (request.all) return usable;

    std::vector<const Gpu*> chosen;
    const std::vector<Candidate> candidates(every.begin(), every.end());
    for (const std::string& selector : request.selectors) {
        const Selector wanted(selector);
        if (wanted.index && vendor == Vendor::Amd && !inventory.amd_doubt.empty())
            return unknown_host();
        bool found = false;
        for (const Candidate& candidate : candidates) {
            if (!candidate.is(wanted)) continue;
            const Gpu* gpu = candidate.gpu;
            if (gpu->unread)
                return std::unexpected(unread(inventory, vendor, request, gpu->unusable));
            if (!gpu->unusable.empty())
                return fail(Code::SelectorUnknown,
                            std::string(vendor_name(vendor)) + " GPU \"" + printable(selector, 48) +
                                "\" cannot be given out: " + gpu->unusable,
                            "Use one of: " + describe_gpus(inventory, vendor));
            found = true;
            chosen.push_back(gpu);
        }
        if (!found && !missing.empty()) return unknown_host();
        if (!found) return std::unexpected(unknown(inventory, vendor, request, selector));
    }
    // Inventory order, each once: the same plan for "1,0" and "0,1,1".
    std::ranges::sort(chosen, {}, [](const Gpu* gpu) { return gpu->index; });
    const auto repeated = std::ranges::unique(chosen);
    chosen.erase(repeated.begin(), repeated.end());
    return chosen;
}

}  // namespace gantry::request
