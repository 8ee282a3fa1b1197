#include "base/text.hpp"
#include "catch.hpp"
#include "inventory_parts.hpp"
#include "request/request.hpp"

using namespace gantry;
using namespace gantry::request;
using inventory::Vendor;
using test::InventoryParts;

namespace {

VendorRequest environment(Vendor vendor, const std::vector<std::string>& selectors) {
    VendorRequest request;
    request.source = Source::Environment;
    request.variable = vendor == Vendor::Amd ? "AMD_VISIBLE_DEVICES" : "NVIDIA_VISIBLE_DEVICES";
    request.value = join(selectors, ",");
    request.selectors = selectors;
    return request;
}

// Indices, or the error's text.
std::string chosen(const inventory::Inventory& inventory, Vendor vendor,
                   const VendorRequest& request) {
    const auto gpus = select_gpus(inventory, vendor, request);
    if (!gpus) return gpus.error().text();
    std::string text;
    for (const inventory::Gpu* gpu : *gpus) {
        CHECK(gpu->vendor == vendor);
        text += (text.empty() ? "" : ",") + std::to_string(gpu->index);
    }
    return text;
}

std::string chosen(const inventory::Inventory& inventory, Vendor vendor,
                   const std::vector<std::string>& selectors) {
    return chosen(inventory, vendor, environment(vendor, selectors));
}

InventoryParts two_of_each() {
    InventoryParts parts;
    parts.cpu().kfd().amd("RX 7900 XTX", 110000, 128).amd("RX 6700 XT", 100301, 129);
    parts.nvidia("H100", 0).nvidia("H100", 1);
    return parts;
}

}  // namespace

TEST_CASE("what a selector names") {
    InventoryParts parts = two_of_each();
    parts.get().gpus[1].pci_address = "0000:c1:00.0";
    const inventory::Inventory& host = parts.get();
    // empty: SelectorUnknown
    const struct {
        std::vector<std::string> selectors;
        const char* amd;
        const char* nvidia;
    } cases[] = {
        {{"0"}, "0", "0"},
        {{"1"}, "1", "1"},
        {{"1", "0"}, "0,1", "0,1"},       // inventory order
        {{"0", "0", "00"}, "0", "0"},     // each once
        {{"7"}, "", ""},
        {{"0", "7"}, "", ""},             // never a part of what was asked
        {{"-1"}, "", ""},
        {{"+0"}, "", ""},
        {{"0;1"}, "", ""},
        {{"0-1"}, "", ""},
        {{"0:1"}, "", ""},
        {{"All"}, "", ""},
        {{"NONE"}, "", ""},
        {{"0x0"}, "", ""},
        {{"0x1"}, "", ""},
        {{"18446744073709551616"}, "", ""},
        {{"4294967296"}, "", ""},
        {{"000000000"}, "", ""},          // nine digits are no index
        {{"0000:01:00.0"}, "0", ""},
        {{"0000:C1:00.0"}, "1", ""},
        {{"0000:80:00.0"}, "", "0"},
        {{"00c0ffee00000001"}, "0", ""},
        {{"0x00C0FFEE00000002"}, "1", ""},
        {{"0xc0ffee00000002"}, "1", ""},  // without the leading zeros
        {{"GPU-00c0ffee00000002"}, "1", ""},
        {{"gpu-0x00c0ffee00000002"}, "1", ""},
        {{"c0ffee00000001c0ffee00000001"}, "", ""},
        {{"GPU-00000001-1111-2222-3333-44445555abcd"}, "", "1"},
        {{"gpu-00000001-1111-2222-3333-44445555ABCD"}, "", "1"},
        {{"GPU-00000001"}, "", ""},       // a UUID counts in full only
        {{"GPU-"}, "", ""},
        {{""}, "", ""},
        {{"nvidia.com/gpu=0"}, "", ""},
    };
    for (const auto& row : cases)
        for (const Vendor vendor : {Vendor::Amd, Vendor::Nvidia}) {
            const std::string expected = vendor == Vendor::Amd ? row.amd : row.nvidia;
            const std::string found = chosen(host, vendor, row.selectors);
            CAPTURE(row.selectors, found);
            if (!expected.empty()) {
                CHECK(found == expected);
                continue;
            }
            // It names value and variable, and lists what there is.
            CHECK(found.starts_with("GTY-202: "));
            CHECK(found.find("\"" + row.selectors.back() + "\"") != std::string::npos);
            CHECK(found.find("_VISIBLE_DEVICES") != std::string::npos);
            CHECK(found.find(vendor == Vendor::Amd ? "0 (RX 7900 XTX, " : "0 (H100, ") !=
                  std::string::npos);
        }
}

TEST_CASE("all is every usable GPU of that vendor, none is no GPU") {
    InventoryParts parts = two_of_each();
    VendorRequest all = environment(Vendor::Amd, {});
    all.all = true;
    CHECK(chosen(parts.get(), Vendor::Amd, all) == "0,1");
    CHECK(chosen(parts.get(), Vendor::Nvidia, all) == "0,1");
    parts.get().gpus[0].unusable = "/dev/dri/renderD128 is missing";
    CHECK(chosen(parts.get(), Vendor::Amd, all) == "1");
    VendorRequest none = environment(Vendor::Nvidia, {});
    none.none = true;
    CHECK(chosen(parts.get(), Vendor::Nvidia, none).empty());
    CHECK(chosen(InventoryParts().get(), Vendor::Nvidia, none).empty());
}

TEST_CASE("a GPU that cannot be given out is refused with the reason") {
    InventoryParts parts = two_of_each();
    parts.get().gpus[1].unusable = "/dev/dri/renderD129 is missing";
    for (const char* selector : {"1", "0000:02:00.0", "0x00c0ffee00000002"}) {
        const std::string text = chosen(parts.get(), Vendor::Amd, {selector});
        CAPTURE(selector, text);
        CHECK(text.starts_with("GTY-202: AMD GPU \""));
        CHECK(text.find("cannot be given out: /dev/dri/renderD129 is missing") !=
              std::string::npos);
    }
}

TEST_CASE("where a file of a GPU cannot be read nothing is guessed") {
    constexpr const char* kCause = "/sys/x/properties is empty";
    VendorRequest all = environment(Vendor::Amd, {});
    all.all = true;
    all.value = "all";
    InventoryParts parts = two_of_each();
    parts.get().gpus[0].unusable = kCause;
    parts.get().gpus[0].unread = true;
    const auto refused = [&](const std::string& text) {
        CAPTURE(text);
        CHECK(text.starts_with("GTY-301: "));
        CHECK_THAT(text, Catch::Contains(kCause) && Catch::Contains("1 (RX 6700 XT, 0000:02:00.0)"));
    };
    refused(chosen(parts.get(), Vendor::Amd, all));
    // One that nobody lists may be the one that is not known.
    for (const char* selector : {"0", "0000:01:00.0", "0x00c0ffee00000009", "0000:99:00.0", "1,7"}) {
        CAPTURE(selector);
        std::vector<std::string> words;
        for (const std::string_view word : split(selector, ',')) words.emplace_back(word);
        refused(chosen(parts.get(), Vendor::Amd, words));
    }
    CHECK(chosen(parts.get(), Vendor::Amd, {"1"}) == "1");
    CHECK(chosen(parts.get(), Vendor::Amd, {"0000:02:00.0"}) == "1");
    CHECK(chosen(parts.get(), Vendor::Nvidia, {"1"}) == "1");
    // Which is which cannot be told: only what names a GPU by itself counts.
    parts.get().amd_doubt = kCause;
    refused(chosen(parts.get(), Vendor::Amd, {"1"}));
    refused(chosen(parts.get(), Vendor::Amd, {"0000:02:00.0", "0"}));
    CHECK(chosen(parts.get(), Vendor::Amd, {"0000:02:00.0"}) == "1");
    CHECK(chosen(parts.get(), Vendor::Amd, {"0x00c0ffee00000002"}) == "1");
    CHECK(chosen(parts.get(), Vendor::Nvidia, {"0", "1"}) == "0,1");
    // As on a host with eight: all is not seven.
    parts.get().gpus[2].unusable = "/proc/y/information is empty";
    parts.get().gpus[2].unread = true;
    all.variable = "NVIDIA_VISIBLE_DEVICES";
    CHECK(chosen(parts.get(), Vendor::Nvidia, all).starts_with(
        "GTY-301: NVIDIA GPUs not all known: /proc/y/information is empty. Ask for another by PCI "
        "address; dmesg tells of this one, which NVIDIA_VISIBLE_DEVICES=\"all\" may mean"));
    CHECK(chosen(parts.get(), Vendor::Nvidia, {"1"}) == "1");
    // And where none is left the cause is that.
    parts.get().gpus[1].unusable = "/dev/dri/renderD129 is missing";
    CHECK(chosen(parts.get(), Vendor::Amd, all).starts_with("GTY-301: "));
}

TEST_CASE("a host without a usable GPU of that vendor") {
    InventoryParts parts;
    parts.cpu().kfd().amd("RX 6700 XT", 100301, 128).unusable("no node");
    VendorRequest all = environment(Vendor::Amd, {});
    all.all = true;
    all.value = "all";
    const std::string text = chosen(parts.get(), Vendor::Amd, all);
    CHECK(text.starts_with("GTY-203: No usable AMD GPU on this host"));
    CHECK(text.find("AMD_VISIBLE_DEVICES=\"all\"") != std::string::npos);
    CHECK(text.find("AMD_VISIBLE_DEVICES=void") != std::string::npos);
    CHECK(chosen(parts.get(), Vendor::Nvidia, {"0"}).starts_with("GTY-203: "));
}

TEST_CASE("partitions of one card share its unique id") {
    InventoryParts parts;
    parts.cpu().kfd();
    for (unsigned i = 0; i < 4; ++i) parts.amd("MI300X", 90402, 128 + i);
    for (inventory::Gpu& gpu : parts.get().gpus) {
        gpu.unique_id = gpu.index < 2 ? "aaaabbbbccccdddd" : "1111222233334444";
        gpu.pci_address = gpu.index < 2 ? "0000:05:00.0" : "0000:15:00.0";
    }
    CHECK(chosen(parts.get(), Vendor::Amd, {"0xaaaabbbbccccdddd"}) == "0,1");
    CHECK(chosen(parts.get(), Vendor::Amd, {"0000:15:00.0", "1"}) == "1,2,3");
}

TEST_CASE("a GPU without an id is named by none") {
    InventoryParts parts = two_of_each();
    parts.get().gpus[0].unique_id = "0000000000000000";
    for (std::size_t i = 1; i < 4; ++i) parts.get().gpus[i].unique_id.clear();
    for (const char* selector : {"", "0x", "GPU-", "0x0", "gpu-0x", "0000000000000000"}) {
        CAPTURE(selector);
        CHECK(chosen(parts.get(), Vendor::Amd, {selector}).starts_with("GTY-202"));
        CHECK(chosen(parts.get(), Vendor::Nvidia, {selector}).starts_with("GTY-202"));
    }
}
