// Plans for the simulated hosts, compared byte for byte with golden/. After a
// wanted change they are written anew by GANTRY_UPDATE_GOLDEN=1 unit-plan, and
// read before they are committed.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "host/host_root.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

// What a container asks for, under the name that its golden files have.
struct Wish {
    const char* name;
    std::vector<std::string> env = {};
    std::string devices = {}, rules = kDenyAll, mounts = {};
    plan::ImageFacts image = {};
    oci::RuntimeKind runtime = oci::RuntimeKind::Runc;
};

const plan::ImageFacts kDebian{"/usr/lib/x86_64-linux-gnu", false};
const plan::ImageFacts kDebianRocm63{"/usr/lib/x86_64-linux-gnu", true};

std::vector<Wish> wishes() {
    const std::string kfd = device("/dev/kfd", 511, 0, R"(,"fileMode":432,"uid":0,"gid":109)");
    const std::string render0 = device("/dev/dri/renderD128", 226, 128, R"(,"fileMode":432,"gid":110)");
    const std::string ctl = device("/dev/nvidiactl", 195, 255, R"(,"fileMode":438)");
    const std::string nv1 = device("/dev/nvidia1", 195, 1, R"(,"fileMode":438)");
    const std::string lib = "/usr/lib/x86_64-linux-gnu/";
    const auto bound = [&](const std::string& name) {
        return R"(,{"destination":")" + lib + name + R"(","source":")" + lib + name +
               R"(","type":"bind","options":["ro","rbind"]})";
    };
    return {
        {.name = "nothing"},
        {.name = "amd-all", .env = {"AMD_VISIBLE_DEVICES=all"}, .image = kDebianRocm63},
        {.name = "amd-0", .env = {"AMD_VISIBLE_DEVICES=0"}},
        {.name = "amd-1", .env = {"AMD_VISIBLE_DEVICES=1"}},
        {.name = "amd-2-5", .env = {"AMD_VISIBLE_DEVICES=2,5"}},
        {.name = "amd-9", .env = {"AMD_VISIBLE_DEVICES=9"}},
        {.name = "amd-empty-override",
         .env = {"AMD_VISIBLE_DEVICES=0", "HSA_OVERRIDE_GFX_VERSION=",
                 "HSA_OVERRIDE_GFX_VERSION_1="}},
        {.name = "amd-crun-no-rules",
         .env = {"AMD_VISIBLE_DEVICES=0"},
         .rules = "",
         .runtime = oci::RuntimeKind::Crun},
        {.name = "amd-devices", .devices = kfd + "," + render0},
        {.name = "amd-privileged",
         .env = {"AMD_VISIBLE_DEVICES=0"},
         .devices = kfd + "," + render0,
         .rules = kAllowAll},
        {.name = "nvidia-all", .env = {"NVIDIA_VISIBLE_DEVICES=all"}, .image = kDebian},
        {.name = "nvidia-none", .env = {"NVIDIA_VISIBLE_DEVICES=none"}, .image = kDebian},
        {.name = "nvidia-1-fedora", .env = {"NVIDIA_VISIBLE_DEVICES=1"}},
        {.name = "nvidia-cdi",
         .env = {"NVIDIA_VISIBLE_DEVICES=void"},
         .devices = ctl + "," + nv1,
         .rules = std::string(kDenyAll) + "," + allow(195, 255) + "," + allow(195, 1),
         .mounts = bound("libcuda.so.535.161.08") + bound("libnvidia-ml.so.535.161.08"),
         .image = kDebian},
        {.name = "both-all",
         .env = {"NVIDIA_VISIBLE_DEVICES=all", "AMD_VISIBLE_DEVICES=all"},
         .image = kDebian},
    };
}

// The pairs that differ.
const std::pair<const char*, std::vector<const char*>> kPairs[] = {
    {"no-gpu", {"nothing", "amd-all", "nvidia-all"}},
    {"rx-7900-xtx", {"nothing", "amd-all", "amd-9", "amd-empty-override"}},
    {"rx-6700-xt-raphael",
     {"amd-all", "amd-0", "amd-1", "amd-empty-override", "amd-crun-no-rules", "amd-devices",
      "amd-privileged"}},
    {"mi300x-8-spx", {"amd-all", "amd-2-5"}},
    {"h100-8", {"nvidia-all", "nvidia-none", "nvidia-1-fedora", "nvidia-cdi", "amd-0"}},
    {"mixed-amd-nvidia", {"both-all", "amd-all", "nvidia-all"}},
};

inventory::Inventory read_host(const std::string& name) {
    const auto root = host::HostRoot::open(std::string(GANTRY_FIXTURES) + "/hosts/" + name);
    if (!root) throw std::runtime_error(root.error().text());
    const auto facts = host::read_host_facts(*root);
    if (!facts) throw std::runtime_error(facts.error().text());
    return inventory::build_inventory(*facts);
}

struct Rendered {
    std::string text, json;
};

// Mount sources of a simulated host are where its folder happens to be.
std::string without_place(std::string text) {
    const std::string place = std::string(GANTRY_FIXTURES) + "/hosts/";
    for (std::size_t at; (at = text.find(place)) != std::string::npos;)
        text.replace(at, place.size(), "HOSTS/");
    return text;
}

Rendered render(const std::string& host, const Wish& wish) {
    SpecParts parts;
    parts.env = wish.env;
    parts.devices = wish.devices;
    parts.rules = wish.rules;
    parts.mounts = wish.mounts;
    const auto plan = try_plan(read_host(host), parts.view(), wish.image, wish.runtime);
    if (!plan) return {plan.error().text() + "\n", {}};
    return {without_place(plan::render_text(*plan)), without_place(plan::render_json(*plan))};
}

const Wish& find_wish(const std::vector<Wish>& all, std::string_view name) {
    for (const Wish& wish : all)
        if (wish.name == name) return wish;
    throw std::runtime_error("no wish " + std::string(name));
}

void check_file(const std::string& name, const std::string& content) {
    const std::string path = std::string(GANTRY_FIXTURES) + "/../plan/golden/" + name;
    if (std::getenv("GANTRY_UPDATE_GOLDEN")) {
        std::ofstream(path, std::ios::binary) << content;
        return;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream golden;
    golden << file.rdbuf();
    CAPTURE(path);
    CHECK(content == golden.str());
}

}  // namespace

TEST_CASE("plans for the simulated hosts are the golden ones") {
    const std::vector<Wish> all = wishes();
    for (const auto& [host, names] : kPairs)
        for (const char* name : names) {
            const Rendered rendered = render(host, find_wish(all, name));
            const std::string file = std::string(host) + "--" + name;
            check_file(file + ".txt", rendered.text);
            if (!rendered.json.empty()) check_file(file + ".json", rendered.json);
        }
    if (std::getenv("GANTRY_UPDATE_GOLDEN")) WARN("the golden plans were written anew");
}

TEST_CASE("the same host and request give the same plan, however they are written") {
    const auto text = [](const char* selectors) {
        const Rendered rendered = render(
            "mi300x-8-spx", {.name = "", .env = {std::string("AMD_VISIBLE_DEVICES=") + selectors}});
        return rendered.text + rendered.json;
    };
    CHECK(text("2,5") == text("2,5"));
    CHECK(text("5,2") == text("2,5"));
    CHECK(text("5,,2,5,") == text("2,5"));
}
