#include "catch.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

const plan::ImageFacts kOldRocm{};
const plan::ImageFacts kNewRocm{"/usr/lib64", true};  // reads the per-node form
const std::string kName = "HSA_OVERRIDE_GFX_VERSION";

InventoryParts one(std::uint64_t gfx) {
    InventoryParts parts;
    parts.cpu().kfd().amd("GPU", gfx, 128);
    return parts;
}

SpecParts asking(const std::string& selectors, std::vector<std::string> env = {}) {
    SpecParts parts;
    parts.env = std::move(env);
    parts.env.push_back("AMD_VISIBLE_DEVICES=" + selectors);
    return parts;
}

std::string outcome(const inventory::Inventory& inventory, const SpecParts& spec,
                    const plan::ImageFacts& image) {
    const auto plan = try_plan(inventory, spec.view(), image);
    return plan ? env_of(*plan) : plan.error().text();
}

}  // namespace

TEST_CASE("the override is set where the image lacks the target, and only there") {
    const struct {
        std::uint64_t gfx;
        std::string expected;
    } cases[] = {
        {100300, ""},                 // gfx1030, native
        {100301, kName + "=10.3.0"},  // gfx1031
        {100302, kName + "=10.3.0"}, {100303, kName + "=10.3.0"}, {100304, kName + "=10.3.0"},
        {100305, kName + "=10.3.0"}, {100306, kName + "=10.3.0"},
        {110000, ""}, {90010, ""}, {90402, ""}, {120001, ""},
        {100100, ""},                 // another instruction set: never 10.3.0
        {0, ""},                      // the kernel does not tell
    };
    for (const auto& row : cases) {
        CAPTURE(row.gfx);
        CHECK(outcome(one(row.gfx).get(), asking("all"), kOldRocm) == row.expected);
        CHECK(outcome(one(row.gfx).get(), asking("all"), kNewRocm) == row.expected);
    }
    const plan::Plan plan = planned(one(100301).get(), asking("0").view());
    REQUIRE(plan.edits.env.size() == 1);
    CHECK(plan.edits.env[0].reason.find("AMD GPU 0 (GPU) is a gfx1031") != std::string::npos);
}

TEST_CASE("an empty value never reaches ROCm and is nobody's choice") {
    const std::string numbered = kName + "_1";
    // A natively supported GPU: both go, and a notice says so.
    const plan::Plan native = planned(
        one(120001).get(), asking("all", {kName + "=", numbered + "=", "OTHER="}).view(), kNewRocm);
    CHECK(env_of(native) == "-" + kName + ",-" + numbered);
    CHECK(has_notice(native, "empty " + kName + " was removed"));
    CHECK(has_notice(native, "empty " + numbered + " was removed"));
    // One that needs an override gets it in place of the empty one.
    CHECK(outcome(one(100301).get(), asking("0", {kName + "="}), kNewRocm) == kName + "=10.3.0");
    // The last entry counts.
    CHECK(outcome(one(120001).get(), asking("0", {kName + "=12.0.1", kName + "="}), kNewRocm) ==
          "-" + kName);
    CHECK(outcome(one(120001).get(), asking("0", {kName + "=", kName + "=12.0.1"}), kNewRocm) == "");
    // Names that only begin alike are not ours.
    CHECK(outcome(one(120001).get(),
                  asking("0", {kName + "_X=", kName + "2=", "X" + kName + "=", kName + "_="}),
                  kNewRocm) == "");
}

TEST_CASE("the user's value is checked in form and generation") {
    // suggestion empty: accepted and handed on unchanged.
    const struct {
        const char* value;
        std::uint64_t gfx;
        const char* suggestion;
    } cases[] = {
        {"10.3.0", 100302, ""},
        {"9.0.10", 90010, ""},      // the stepping is decimal: a = 10
        {"11.0.0", 110501, ""},
        {"010.03.00", 100302, ""},
        {"9.0.a", 90010, "Write it like 9.0.10"},
        {"gfx1102", 110002, "Write it like 11.0.2"},
        {"1102", 110002, "Write it like 11.0.2"},
        {"gfx90a", 90010, "Write it like 9.0.10"},
        {"GFX1031", 100301, "Write it like 10.3.1"},
        {"\"10.3.0\"", 100302, "Write it like 10.3.0"},
        {"10.3", 100302, "Write it like 10.3.0"},
        {"10.3.0.0", 100302, "Write it like 10.3.0"},
        {"10.3.0 ", 100302, "Write it like 10.3.0"},
        {" 10.3.0", 100302, "Write it like 10.3.0"},
        {"10.3.0\n", 100302, "Write it like 10.3.0"},
        {"10.+3.0", 100302, "Write it like 10.3.0"},
        {"10.3.256", 100302, "Write it like 10.3.0"},
        {"-1.0.0", 100302, "Write it like 10.3.0"},
        {"64.0.0", 100302, "Write it like 10.3.0"},
        {"0.0.0", 100302, "Write it like 10.3.0"},
        {"4294967306.3.0", 100302, "Write it like 10.3.0"},
        {"gfx1102", 120001, "Write it like 12.0.1"},  // not one that is refused next
        {"x", 110000, "Write it like 11.0.0"},
        {"..", 110000, "Write it like 11.0.0"},
        {"12.0.1", 110501, "use 11.x.x"},
        {"11.0.0", 100306, "use 10.x.x"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.value, row.gfx);
        const SpecParts spec = asking("0", {kName + "=" + row.value});
        const auto plan = try_plan(one(row.gfx).get(), spec.view());
        if (!*row.suggestion) {
            REQUIRE(plan);
            CHECK(plan->edits.env.empty());
            CHECK(has_notice(*plan, kName + "=" + row.value + " is the user's and was kept"));
            continue;
        }
        REQUIRE(!plan);
        const std::string text = plan.error().text();
        CAPTURE(text);
        CHECK(plan.error().code == Code::OverrideInvalid);
        CHECK(text.find(kName) != std::string::npos);
        CHECK(text.find(printable(row.value)) != std::string::npos);
        CHECK(text.find(row.suggestion) != std::string::npos);
    }
    // The numbered form is checked too.
    CHECK(outcome(one(110000).get(), asking("0", {kName + "_1=gfx1100"}), kOldRocm)
              .starts_with("GTY-206: "));
    // A container that asks for no AMD GPU may hold what it likes.
    InventoryParts nvidia;
    nvidia.nvidia("H100", 0).libcuda();
    SpecParts spec;
    spec.env = {kName + "=odd", "NVIDIA_VISIBLE_DEVICES=0"};
    CHECK(outcome(nvidia.get(), spec, kOldRocm) == "");
}

TEST_CASE("the number of the per-node variable counts the nodes that the container can open") {
    // Each host: CPU nodes and the gfx targets of its GPUs in KFD order, of
    // which 100301 needs an override and 110000 does not.
    const struct {
        const char* what;
        std::vector<std::uint64_t> nodes;  // 0: a CPU
        std::string granted;               // GPU indices
        std::string expected;
    } cases[] = {
        {"all of four behind two CPU nodes",
         {0, 0, 100301, 110000, 100301, 110000}, "all", "_2,_4"},
        {"a subset moves up", {0, 0, 110000, 100301, 110000, 100301}, "2,3", "_3"},
        {"the same, asked in another order", {0, 0, 110000, 100301, 110000, 100301}, "3,0", "_3"},
        {"four CPU nodes, GPUs far apart",
         {0, 0, 0, 0, 100301, 110000, 110000, 110000, 110000, 100302}, "0,4,5", "_4,_6"},
        {"a CPU node behind a GPU counts", {0, 110000, 0, 100301}, "all", "_3"},
        {"integrated and discrete", {0, 110000, 100306}, "0,1", "_2"},
        {"more than ten nodes count as numbers",
         {0, 0, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 100301},
         "0,1,2,3,4,5,6,7,8,9", "_11"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        InventoryParts parts;
        parts.kfd();
        std::uint32_t render = 128;
        for (const std::uint64_t gfx : row.nodes)
            gfx ? parts.amd("GPU", gfx, render++) : parts.cpu();
        std::string expected;
        for (const std::string_view number : split(row.expected, ','))
            expected += (expected.empty() ? "" : ",") + kName + std::string(number) + "=10.3.0";
        CHECK(outcome(parts.get(), asking(row.granted), kNewRocm) == expected);
        CHECK(outcome(parts.get(), asking(row.granted), kOldRocm).starts_with("GTY-207: "));
    }
}

TEST_CASE("render minors need not follow the order of the nodes") {
    InventoryParts parts;
    parts.cpu().kfd().amd("A", 110000, 130).amd("B", 100301, 128).amd("C", 110000, 129);
    CHECK(outcome(parts.get(), asking("0,1"), kNewRocm) == kName + "_2=10.3.0");
    CHECK(outcome(parts.get(), asking("1,2"), kNewRocm) == kName + "_1=10.3.0");
}

TEST_CASE("an old APU's merged node is no CPU node and counts only if it can be opened") {
    InventoryParts parts;
    parts.kfd().amd("APU", 90002, 128).amd("RX 6700 XT", 100301, 129);
    parts.amd("RX 7900 XTX", 110000, 130);
    CHECK(outcome(parts.get(), asking("1,2"), kNewRocm) == kName + "_0=10.3.0");
    CHECK(outcome(parts.get(), asking("0,1,2"), kNewRocm) == kName + "_1=10.3.0");
}

TEST_CASE("GPUs that the spec lets in beside the grant count too") {
    // CPU, 7900 XTX (native), 6700 XT (needs 10.3.0), only the latter granted.
    InventoryParts parts;
    parts.cpu().kfd().amd("RX 7900 XTX", 110000, 128).amd("RX 6700 XT", 100301, 129);
    const std::string alone = kName + "=10.3.0";
    const std::string beside = kName + "_2=10.3.0";  // the other GPU keeps its own
    const std::string node = device("/dev/dri/renderD128", 226, 128);
    const std::string dev = R"(,{"destination":"/dev","type":"bind","source":"/dev"})";
    const std::string all_drm = R"(,{"allow":true,"type":"c","major":226,"access":"rwm"})";
    const struct {
        const char* what;
        std::string devices, mounts, rules, expected;
    } cases[] = {
        {"nothing more", "", "", kDenyAll, alone},
        {"node and rule", node, "", std::string(kDenyAll) + "," + allow(226, 128), beside},
        {"a node that no rule allows", node, "", kDenyAll, alone},
        {"a rule without a node", "", "", kDenyAll + all_drm, alone},
        {"a node in its place that is another device", device("/dev/dri/renderD128", 226, 0), "",
         kDenyAll + all_drm, alone},
        {"its number under another name", device("/dev/gpu", 226, 128), "", kDenyAll + all_drm,
         alone},
        {"the host's /dev without rules for it", "", dev, kDenyAll, alone},
        {"the host's /dev and a wide rule", "", dev, kDenyAll + all_drm, beside},
        {"privileged", node, "", kAllowAll, beside},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        SpecParts spec = asking("1");
        spec.devices = row.devices;
        spec.mounts = row.mounts;
        spec.rules = row.rules;
        CHECK(outcome(parts.get(), spec, kNewRocm) == row.expected);
        if (row.expected == beside)
            CHECK(outcome(parts.get(), spec, kOldRocm).starts_with("GTY-207: AMD GPU 0 "));
    }
    // The one that needs nothing is not held up by the one beside it.
    SpecParts spec = asking("0");
    spec.rules = kAllowAll;
    spec.devices = node + "," + device("/dev/dri/renderD129", 226, 129);
    CHECK(outcome(parts.get(), spec, kOldRocm) == "");
}

TEST_CASE("a mixed grant") {
    InventoryParts mixed;
    mixed.cpu().kfd().amd("RX 7900 XTX", 110000, 128).amd("RX 6700 XT", 100301, 129);
    CHECK(outcome(mixed.get(), asking("all"), kNewRocm) == kName + "_2=10.3.0");
    const std::string refused = outcome(mixed.get(), asking("all"), kOldRocm);
    CHECK(refused.starts_with("GTY-207: AMD GPU 0 and 1 need"));
    CHECK(refused.find("ROCm 6.3") != std::string::npos);
    CHECK(outcome(mixed.get(), asking("0"), kOldRocm) == "");
    CHECK(outcome(mixed.get(), asking("1"), kOldRocm) == kName + "=10.3.0");
    // The user's global value settles it for all of them, if it fits all.
    CHECK(outcome(mixed.get(), asking("1", {kName + "=10.3.0"}), kOldRocm) == "");
    CHECK(outcome(mixed.get(), asking("all", {kName + "=10.3.0"}), kNewRocm)
              .starts_with("GTY-206: AMD GPU 0 (RX 7900 XTX)"));
    // The user's own per-node value is kept.
    CHECK(outcome(mixed.get(), asking("all", {kName + "_2=10.3.1"}), kNewRocm) == "");

    // One value for all of them is the global variable, whatever the image.
    InventoryParts same;
    same.cpu().kfd().amd("RX 6700 XT", 100301, 128).amd("Raphael", 100306, 129);
    CHECK(outcome(same.get(), asking("all"), kOldRocm) == kName + "=10.3.0");
    CHECK(outcome(same.get(), asking("all"), kNewRocm) == kName + "=10.3.0");
}
