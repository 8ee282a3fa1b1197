#include <nlohmann/json.hpp>

#include "base/text.hpp"
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

constexpr const char* kFixtures[] = {"rx-7900-xtx",      "rx-6700-xt-raphael", "mi300x-8-spx",
                                     "mixed-amd-nvidia", "h100-8",             "no-gpu"};

}  // namespace

TEST_CASE("the table of both vendors, as a person sees it") {
    CHECK(render_table(of_fixture("mixed-amd-nvidia")) ==
          R"(Simulated host: nothing below is hardware.

GPU       NAME                     PCI ADDRESS   TARGET   MEMORY
AMD 0     RX 7900 XTX              0000:03:00.0  gfx1100  24.0 GiB
          KFD node 1, render minor 128, /dev/dri/renderD128, /dev/dri/card1,
          unique id 0xa1ffc9d1799c317f
NVIDIA 0  NVIDIA GeForce RTX 4090  0000:0a:00.0  -        -
          /dev/nvidia0, GPU-4090a000-0000-4000-8000-000000000000

AMD driver: amdgpu of the kernel
NVIDIA driver: 550.54.14 (9 libraries and 5 programs of it found)
AMD_VISIBLE_DEVICES counts by the index in the first column (PCI order). KFD
nodes and render minors are the kernel's own numbers for the same GPU.
)");
}

TEST_CASE("the table without a GPU, with notices and reasons") {
    Inventory inventory;
    inventory.notices = {"/dev/nvidia-uvm is missing; CUDA needs it: run nvidia-modprobe -u -c 0 "
                         "and look into the kernel log"};
    CHECK(render_table(inventory) ==
          "No AMD or NVIDIA GPU found.\n\nNotices:\n"
          "  /dev/nvidia-uvm is missing; CUDA needs it: run nvidia-modprobe -u -c 0 and\n"
          "  look into the kernel log\n");
    Gpu gpu;
    gpu.name = "RX 580";
    gpu.pci_address = "0000:03:00.0";
    gpu.kfd_node = 1;
    gpu.partition = 3;
    gpu.unusable = "/dev/kfd is missing; load the amdgpu module";
    inventory.notices.clear();
    inventory.gpus = {gpu};
    CHECK_THAT(render_table(inventory),
               Catch::Contains("AMD 0  RX 580  0000:03:00.0  unknown  -\n"
                               "       KFD node 1, partition 3\n"
                               "       not usable: /dev/kfd is missing; load the amdgpu module\n"));
    CHECK_THAT(render_table(inventory), !Catch::Contains("Simulated"));
}

TEST_CASE("tables fit 80 columns of plain ASCII") {
    for (const char* name : kFixtures) {
        const std::string table = render_table(of_fixture(name));
        for (const std::string_view line : split(table, '\n')) {
            CAPTURE(name, line);
            CHECK(line.size() <= 80);
            CHECK(printable(line, 200) == line);
            CHECK_FALSE(line.ends_with(' '));
        }
    }
}

TEST_CASE("JSON says the same as the inventory") {
    for (const char* name : kFixtures) {
        CAPTURE(name);
        const Inventory inventory = of_fixture(name);
        const auto json = nlohmann::json::parse(render_json(inventory));
        CHECK(json.at("simulated") == true);
        REQUIRE(json.at("gpus").size() == inventory.gpus.size());
        for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
            const Gpu& gpu = inventory.gpus[i];
            const auto& entry = json.at("gpus").at(i);
            CHECK(entry.at("vendor") == (gpu.vendor == Vendor::Amd ? "amd" : "nvidia"));
            CHECK(entry.at("index") == gpu.index);
            CHECK(entry.at("name") == gpu.name);
            CHECK(entry.at("pci") == gpu.pci_address);
            CHECK(entry.at("usable") == true);
            REQUIRE(entry.at("nodes").size() == gpu.nodes.size());
            CHECK(entry.at("nodes").at(0).at("path") == gpu.nodes[0].path);
            CHECK(entry.at("nodes").at(0).at("minor") == gpu.nodes[0].minor);
        }
    }
    const auto amd = nlohmann::json::parse(render_json(of_fixture("rx-6700-xt-raphael")));
    const auto& card = amd.at("gpus").at(0);
    CHECK(card.at("gfx") == "gfx1031");
    CHECK(card.at("kfd_node") == 1);
    CHECK(card.at("render_minor") == 128);
    CHECK(card.at("memory_bytes") == 12868124672);
    CHECK(card.at("partition").is_null());
    CHECK(card.at("nodes").at(0).at("mode") == "0660");
    CHECK(card.at("nodes").at(0).at("gid") == 110);
    CHECK(amd.at("gpus").at(1).at("unique_id").is_null());
    CHECK(amd.at("gpus").at(1).at("integrated") == true);
    CHECK(amd.at("driver").at("amdgpu").is_null());
    CHECK(amd.at("control").at("amd").at(0).at("path") == "/dev/kfd");

    Inventory broken;
    Gpu gpu;
    gpu.name = "odd \xff name";
    gpu.unusable = "because";
    broken.gpus = {gpu};
    broken.notices = {"n"};
    const auto json = nlohmann::json::parse(render_json(broken));
    CHECK(json.at("gpus").at(0).at("usable") == false);
    CHECK(json.at("gpus").at(0).at("unusable") == "because");
    CHECK(json.at("notices").at(0) == "n");
}

TEST_CASE("an error's list of GPUs is short") {
    CHECK(describe_gpus(of_fixture("rx-6700-xt-raphael"), Vendor::Amd) ==
          "0 (RX 6700 XT, 0000:03:00.0), 1 (Raphael graphics, 0000:0f:00.0)");
    CHECK_THAT(describe_gpus(of_fixture("h100-8"), Vendor::Nvidia),
               Catch::EndsWith("5 (NVIDIA H100 80GB HBM3, 0000:c3:00.0) and 2 more up to 7"));
}
