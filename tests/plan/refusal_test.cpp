// What every refusal of request and plan must keep to: which GPU or variable and
// what is wrong, then what to do, before the line is cut anywhere.
#include "catch.hpp"
#include "host/host_root.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

constexpr std::size_t kHeadlineBytes = 120;
constexpr std::size_t kLeastRemedy = 8;  // "Use one "

struct Refusal {
    const char* code;
    const char* host;
    std::vector<std::string> env = {};
    std::string devices = {};
};

inventory::Inventory fixture(const std::string& name) {
    const auto root = host::HostRoot::open(std::string(GANTRY_FIXTURES) + "/hosts/" + name);
    REQUIRE(root);
    const auto facts = host::read_host_facts(*root);
    REQUIRE(facts);
    return inventory::build_inventory(*facts);
}

std::vector<Refusal> refusals() {
    const char* const two = "rx-6700-xt-raphael";
    const char* const nvidia = "h100-8";
    const std::string kfd = device("/dev/kfd", 511, 0);
    const std::string uuid = "GPU-11111111-2222-3333-4444-555555555555";
    return {
        {"GTY-201", two, {"AMD_VISIBLE_DEVICES=0 1"}},
        {"GTY-201", two, {"AMD_VISIBLE_DEVICES=\"0\""}},
        {"GTY-201", two, {"AMD_VISIBLE_DEVICES=all,0"}},
        {"GTY-201", two, {"AMD_VISIBLE_DEVICES=,,"}},
        {"GTY-202", two, {"AMD_VISIBLE_DEVICES=7"}},
        {"GTY-202", two, {"AMD_VISIBLE_DEVICES=0,1,7,9,11,13,15,17,19,21,23"}},
        {"GTY-202", nvidia, {"NVIDIA_VISIBLE_DEVICES=" + uuid}},
        {"GTY-202", nvidia, {"NVIDIA_VISIBLE_DEVICES=0," + uuid}},
        {"GTY-203", two, {"NVIDIA_VISIBLE_DEVICES=all"}},
        {"GTY-203", "no-gpu", {"AMD_VISIBLE_DEVICES=" + uuid}},
        {"GTY-203", nvidia, {}, device("/dev/nvidia77", 195, 77) + "," +
                                    device("/dev/nvidiactl", 195, 255)},
        {"GTY-204", two, {}, kfd},
        {"GTY-204", nvidia, {}, kfd},
        {"GTY-205", two, {"AMD_VISIBLE_DEVICES=0"}, device("/dev/dri/renderD128", 226, 129)},
        {"GTY-206", two, {"AMD_VISIBLE_DEVICES=0", "HSA_OVERRIDE_GFX_VERSION=gfx1030"}},
        {"GTY-206", two, {"AMD_VISIBLE_DEVICES=0", "HSA_OVERRIDE_GFX_VERSION=11.0.0"}},
    };
}

}  // namespace

TEST_CASE("a refusal says what and what to do in its first 120 bytes") {
    for (const Refusal& row : refusals()) {
        SpecParts parts;
        parts.env = row.env;
        parts.devices = row.devices;
        const auto plan = try_plan(fixture(row.host), spec_view(parts.json()));
        REQUIRE_FALSE(plan);
        const std::string text = plan.error().text();
        CAPTURE(text);
        CHECK(text.starts_with(row.code));
        CHECK(text.size() <= kMaxErrorBytes);
        CHECK_FALSE(text.ends_with("..."));
        REQUIRE_FALSE(plan.error().remedy.empty());
        CHECK(text.find(plan.error().remedy) + kLeastRemedy <= kHeadlineBytes);
    }
}
