// Looking up what a selector names.
#include <algorithm>

#include "base/text.hpp"
#include "request/request.hpp"

namespace gantry::request {
namespace {

using inventory::Gpu;
using inventory::Vendor;

const char* vendor_name(Vendor vendor) { return vendor == Vendor::Amd ? "AMD" : "NVIDIA"; }

// "GPU-…", "0x…" and bare hexadecimal, in any case; NVIDIA's UUID in full.
bool matches_unique_id(const Gpu& gpu, std::string_view selector) {
    if (gpu.unique_id.empty()) return false;
    const std::string wanted = to_lower(selector);
    if (gpu.vendor == Vendor::Nvidia) return wanted == to_lower(gpu.unique_id);
    std::string_view digits = wanted;
    if (digits.starts_with("gpu-")) digits.remove_prefix(4);
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    // Eight digits and fewer would be taken for an index by AMD's own toolkit.
    const bool marked = digits.size() != wanted.size();
    if (!marked && digits.size() <= 8) return false;
    const auto value = parse_hex(digits);
    return value && *value != 0 && value == parse_hex(gpu.unique_id);
}

bool matches(const Gpu& gpu, std::string_view selector) {
    if (const auto index = parse_decimal(selector); index && selector.size() <= 8)
        return *index == gpu.index;
    return to_lower(selector) == gpu.pci_address || matches_unique_id(gpu, selector);
}

Error unknown(const inventory::Inventory& inventory, Vendor vendor, const VendorRequest& request,
              std::string_view selector) {
    const std::string existing = describe_gpus(inventory, vendor);
    return {Code::SelectorUnknown,
            std::string(vendor_name(vendor)) + " GPU \"" + printable(selector, 48) +
                "\" is not on this host (" + request.variable + "=\"" + printable(request.value, 64) +
                "\")",
            "Use one of: " + existing};
}

Error no_gpu(Vendor vendor, const VendorRequest& request) {
    const std::string name = vendor_name(vendor);
    return {Code::NoGpu,
            "No usable " + name + " GPU on this host, but the container asks for one (" +
                (request.variable.empty() ? std::string("devices in its spec")
                                          : request.variable + "=\"" + printable(request.value, 64) +
                                                "\"") +
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
    if (usable.empty()) return std::unexpected(no_gpu(vendor, request));
    if (request.all) return usable;

    std::vector<const Gpu*> chosen;
    for (const std::string& selector : request.selectors) {
        bool found = false;
        for (const Gpu* gpu : every) {
            if (!matches(*gpu, selector)) continue;
            if (!gpu->unusable.empty())
                return fail(Code::SelectorUnknown,
                            std::string(vendor_name(vendor)) + " GPU \"" + printable(selector, 48) +
                                "\" cannot be given out: " + gpu->unusable,
                            "Use one of: " + describe_gpus(inventory, vendor));
            found = true;
            chosen.push_back(gpu);
        }
        if (!found) return std::unexpected(unknown(inventory, vendor, request, selector));
    }
    // Inventory order, each once: the same plan for "1,0" and "0,1,1".
    std::ranges::sort(chosen, {}, [](const Gpu* gpu) { return gpu->index; });
    const auto repeated = std::ranges::unique(chosen);
    chosen.erase(repeated.begin(), repeated.end());
    return chosen;
}

}  // namespace gantry::request
