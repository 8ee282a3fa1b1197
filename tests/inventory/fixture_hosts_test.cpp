// What each simulated host must come to. Every line is a GPU as `index name
// target pci unique-id memory node...`.
#include "catch.hpp"
#include "host/host_root.hpp"
#include "inventory/inventory.hpp"

using namespace gantry;
using namespace gantry::inventory;

namespace {

Inventory of_fixture(const std::string& name) {
    const auto root = host::HostRoot::open(GANTRY_FIXTURES "/hosts/" + name);
    REQUIRE(root);
    const auto facts = host::read_host_facts(*root);
    REQUIRE(facts);
    return build_inventory(*facts);
}

std::string line(const Gpu& gpu) {
    std::string text = std::string(gpu.vendor == Vendor::Amd ? "amd " : "nvidia ") +
                       std::to_string(gpu.index) + " " + gpu.name + " " +
                       (gpu.gfx ? gpu.gfx->target() : "-") + " " + gpu.pci_address + " " +
                       (gpu.unique_id.empty() ? "-" : gpu.unique_id) + " " +
                       (gpu.memory_bytes ? std::to_string(*gpu.memory_bytes) : "-");
    for (const host::DeviceNode& node : gpu.nodes)
        text += " " + node.path + "=" + std::to_string(node.major) + ":" +
                std::to_string(node.minor) + "," + std::to_string(node.gid);
    if (gpu.integrated) text += " integrated";
    if (!gpu.unusable.empty()) text += " UNUSABLE " + gpu.unusable;
    return text + "\n";
}

std::string lines(const Inventory& inventory) {
    std::string text;
    for (const Gpu& gpu : inventory.gpus) text += line(gpu);
    return text;
}

std::string numbers(const std::vector<host::DeviceNode>& nodes) {
    std::string text;
    for (const host::DeviceNode& node : nodes)
        text += node.path + "=" + std::to_string(node.major) + ":" + std::to_string(node.minor) +
                "," + std::to_string(node.gid) + " ";
    return text;
}

}  // namespace

TEST_CASE("one AMD card") {
    const Inventory inventory = of_fixture("rx-7900-xtx");
    CHECK(lines(inventory) ==
          "amd 0 RX 7900 XTX gfx1100 0000:03:00.0 a1ffc9d1799c317f 25753026560 "
          "/dev/dri/renderD128=226:128,109 /dev/dri/card1=226:1,44\n");
    CHECK(numbers(inventory.amd_control) == "/dev/kfd=234:0,109 ");
    CHECK(inventory.simulated);
    CHECK(inventory.amdgpu_version == "6.8.5");
    CHECK(inventory.gpus[0].kfd_node == 1);
    CHECK(inventory.notices.empty());
    CHECK(inventory.nvidia_control.empty());
}

TEST_CASE("an AMD card and the CPU's own GPU") {
    const Inventory inventory = of_fixture("rx-6700-xt-raphael");
    CHECK(lines(inventory) ==
          "amd 0 RX 6700 XT gfx1031 0000:03:00.0 5c6b1f0e8a27d341 12868124672 "
          "/dev/dri/renderD128=226:128,110 /dev/dri/card1=226:1,44\n"
          "amd 1 Raphael graphics gfx1036 0000:0f:00.0 - 536870912 "
          "/dev/dri/renderD129=226:129,110 /dev/dri/card2=226:2,44 integrated\n");
    CHECK(numbers(inventory.amd_control) == "/dev/kfd=511:0,109 ");
    REQUIRE(inventory.topology.size() == 3);
    CHECK(inventory.topology[0].is_cpu);
    CHECK_FALSE(inventory.topology[0].render_minor);
    CHECK_FALSE(inventory.topology[2].is_cpu);
    CHECK(inventory.topology[2].render_minor == 129);
    CHECK(inventory.notices.empty());
}

TEST_CASE("eight MI300X: idle partition devices are no GPUs") {
    const Inventory inventory = of_fixture("mi300x-8-spx");
    REQUIRE(inventory.gpus.size() == 8);
    CHECK(line(inventory.gpus[0]) ==
          "amd 0 AMD Instinct MI300X OAM gfx942 0000:05:00.0 e3aa140f9a5f9e31 206141652992 "
          "/dev/dri/renderD128=226:128,110 /dev/dri/card1=226:1,44\n");
    CHECK(line(inventory.gpus[7]) ==
          "amd 7 AMD Instinct MI300X OAM gfx942 0000:e5:00.0 eab11b16a166a538 206141652992 "
          "/dev/dri/renderD184=226:184,110 /dev/dri/card57=226:57,44\n");
    for (const Gpu& gpu : inventory.gpus) {
        CHECK(gpu.kfd_node == 2 + gpu.index);  // two CPU nodes come before
        CHECK_FALSE(gpu.partition);
    }
    CHECK(inventory.topology.size() == 10);
    CHECK(inventory.notices.empty());
}

TEST_CASE("eight H100") {
    const Inventory inventory = of_fixture("h100-8");
    REQUIRE(inventory.gpus.size() == 8);
    CHECK(line(inventory.gpus[5]) ==
          "nvidia 5 NVIDIA H100 80GB HBM3 - 0000:c3:00.0 "
          "GPU-c3100000-0000-4000-8000-000000000005 - /dev/nvidia5=195:5,0\n");
    CHECK(numbers(inventory.nvidia_control) ==
          "/dev/nvidiactl=195:255,0 /dev/nvidia-uvm=510:0,0 /dev/nvidia-uvm-tools=510:1,0 "
          "/dev/nvidia-modeset=195:254,0 ");
    CHECK(inventory.nvidia_version == "535.161.08");
    CHECK(inventory.nvidia_libraries.size() == 41);
    CHECK(inventory.nvidia_binaries.size() == 5);
    CHECK(inventory.notices.empty());
    CHECK(inventory.topology.empty());
    CHECK(inventory.of(Vendor::Amd).empty());
}

TEST_CASE("both vendors: each counts from 0, nvidia-drm's nodes are nobody's") {
    const Inventory inventory = of_fixture("mixed-amd-nvidia");
    CHECK(lines(inventory) ==
          "amd 0 RX 7900 XTX gfx1100 0000:03:00.0 a1ffc9d1799c317f 25753026560 "
          "/dev/dri/renderD128=226:128,110 /dev/dri/card1=226:1,44\n"
          "nvidia 0 NVIDIA GeForce RTX 4090 - 0000:0a:00.0 "
          "GPU-4090a000-0000-4000-8000-000000000000 - /dev/nvidia0=195:0,0\n");
    CHECK(inventory.of(Vendor::Nvidia).size() == 1);
    CHECK(inventory.notices.empty());
}

TEST_CASE("no GPU") {
    const Inventory inventory = of_fixture("no-gpu");
    CHECK(inventory.gpus.empty());
    CHECK(inventory.notices.empty());
    CHECK(inventory.amd_control.empty());
    CHECK(describe_gpus(inventory, Vendor::Amd) == "none");
}

TEST_CASE("the same host gives the same inventory however it is read") {
    for (const char* name : {"rx-6700-xt-raphael", "mi300x-8-spx", "h100-8", "mixed-amd-nvidia"}) {
        CAPTURE(name);
        const auto root = host::HostRoot::open(std::string(GANTRY_FIXTURES "/hosts/") + name);
        REQUIRE(root);
        const auto cheap = host::read_host_facts(*root, {.unclaimed = false});
        REQUIRE(cheap);
        CHECK(render_json(build_inventory(*cheap)) == render_json(of_fixture(name)));
    }
}
