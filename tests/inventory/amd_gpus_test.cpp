#include <filesystem>
#include <functional>

#include "catch.hpp"
#include "inventory/amd_host.hpp"

using namespace gantry;
using namespace gantry::inventory;
using test::AmdHost;
using test::kKfdNodes;
using test::paths;

TEST_CASE("gfx targets: minor and stepping are hexadecimal, overrides decimal") {
    const struct {
        std::uint64_t value;
        const char* target;
        const char* override_text;
    } cases[] = {
        {90402, "gfx942", "9.4.2"},    {90010, "gfx90a", "9.0.10"},  {90012, "gfx90c", "9.0.12"},
        {90500, "gfx950", "9.5.0"},    {80003, "gfx803", "8.0.3"},   {100300, "gfx1030", "10.3.0"},
        {100302, "gfx1032", "10.3.2"}, {100306, "gfx1036", "10.3.6"}, {110000, "gfx1100", "11.0.0"},
        {110003, "gfx1103", "11.0.3"}, {110501, "gfx1151", "11.5.1"}, {120001, "gfx1201", "12.0.1"},
        {120500, "gfx1250", "12.5.0"},
    };
    for (const auto& row : cases) {
        CHECK(decode_gfx_target_version(row.value).target() == row.target);
        CHECK(decode_gfx_target_version(row.value).override_text() == row.override_text);
        AmdHost host;
        host.gpu(0, "gfx_target_version " + std::to_string(row.value) +
                        "\nlocation_id 768\ndrm_render_minor 128\n");
        REQUIRE(host.inventory().gpus.size() == 1);
        CHECK(host.inventory().gpus[0].gfx->target() == row.target);
    }
}

TEST_CASE("an old kernel without domain and gfx target") {
    AmdHost host;
    host.cpu(0).gpu(1,
                    "mem_banks_count 0\nvendor_id 4098\ndevice_id 26720\nlocation_id 6400\n"
                    "drm_render_minor 128\nlocal_mem_size 17163091968\n"
                    "unique_id 14073402507705256556\n");
    host.drm("card0", "0000:19:00.0", 0).drm("renderD128", "0000:19:00.0", 128);
    host.node("/dev/kfd", 509, 0, 109);
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.gpus.size() == 1);
    const Gpu& gpu = inventory.gpus[0];
    CHECK(gpu.pci_address == "0000:19:00.0");
    CHECK(gpu.unique_id == "c34ec50444dd0a6c");
    CHECK(gpu.memory_bytes == 17163091968);
    CHECK(gpu.name == "Instinct MI25");
    CHECK_FALSE(gpu.gfx);
    CHECK(gpu.unusable.empty());
    CHECK(paths(gpu) == "/dev/dri/renderD128 /dev/dri/card0 ");
    CHECK(inventory.amd_control.at(0).major == 509);
    REQUIRE(inventory.notices.size() == 1);
    CHECK_THAT(inventory.notices[0], Catch::Contains("does not tell the gfx target of AMD GPU 0"));
}

TEST_CASE("GPUs are in PCI order, whatever KFD and DRM count") {
    AmdHost host;
    host.kfd().cpu(0);
    host.gpu(1, "gfx_target_version 90010\nlocation_id 25344\ndrm_render_minor 128\n");  // 63:00
    host.gpu(2, "gfx_target_version 90010\nlocation_id 17152\ndrm_render_minor 129\n");  // 43:00
    host.gpu(10, "gfx_target_version 90010\nlocation_id 768\ndomain 1\ndrm_render_minor 130\n");
    host.drm("renderD128", "0000:63:00.0", 128).drm("renderD129", "0000:43:00.0", 129);
    host.drm("renderD130", "0001:03:00.0", 130);
    std::string seen;
    const Inventory inventory = host.inventory();
    for (const Gpu& gpu : inventory.gpus)
        seen += std::to_string(gpu.index) + " " + gpu.pci_address + " node " +
                std::to_string(*gpu.kfd_node) + " " + paths(gpu) + "\n";
    CHECK(seen ==
          "0 0000:43:00.0 node 2 /dev/dri/renderD129 \n"
          "1 0000:63:00.0 node 1 /dev/dri/renderD128 \n"
          "2 0001:03:00.0 node 10 /dev/dri/renderD130 \n");
    std::string topology;  // numeric order, which override numbers are counted in
    for (const TopologyNode& node : inventory.topology)
        topology += std::to_string(node.index) + " ";
    CHECK(topology == "0 1 2 10 ");
}

TEST_CASE("cards that KFD does not list come last and are not given out") {
    AmdHost host;
    host.kfd().cpu(0);
    host.gpu(1, "device_id 1\nlocation_id 1024\ndrm_render_minor 128\n");
    host.drm("card1", "0000:04:00.0", 1).drm("renderD128", "0000:04:00.0", 128);
    host.drm("card2", "0000:03:00.0", 2);           // display only, before it in PCI order
    host.drm("card0", "0000:63:00.0", 0, "ast");    // not AMD's
    host.drm("card3", "evdi.0", 3).folder("/sys/devices/platform/evdi.0/device");
    host.file("/sys/bus/pci/devices/0000:02:00.0/vendor", "0x1002\n");
    host.file("/sys/bus/pci/devices/0000:02:00.0/class", "0x030000\n");
    host.file("/sys/bus/pci/devices/0000:02:00.0/device", "0x73df\n");
    host.file("/sys/bus/pci/devices/0000:02:00.0/revision", "0xc1\n");
    host.link("/sys/bus/pci/devices/0000:02:00.0/driver", "../../drivers/vfio-pci");
    const Inventory inventory = host.inventory();
    std::string seen;
    for (const Gpu& gpu : inventory.gpus)
        seen += std::to_string(gpu.index) + " " + gpu.pci_address + " " + paths(gpu) +
                gpu.unusable + "\n";
    CHECK(seen ==
          "0 0000:04:00.0 /dev/dri/renderD128 /dev/dri/card1 \n"
          "1 0000:03:00.0 amdgpu drives it, but KFD does not list it: no compute support\n"
          "2 0000:02:00.0 driver vfio-pci holds it instead of amdgpu\n");
    CHECK(inventory.gpus[2].name == "RX 6700 XT");
    CHECK(describe_gpus(inventory, Vendor::Amd) ==
          "0 (1002:0001, 0000:04:00.0), 1 (AMD GPU, 0000:03:00.0, not usable), "
          "2 (RX 6700 XT, 0000:02:00.0, not usable)");
}

TEST_CASE("a GPU without its nodes keeps its index and says what is missing") {
    const struct {
        const char* what;
        std::string minor;
        void (*nodes)(AmdHost&);
        const char* unusable;
    } cases[] = {
        {"all there", "128",
         [](AmdHost& host) { host.kfd().node("/dev/dri/renderD128", 226, 128); }, ""},
        {"no render node", "128", [](AmdHost& host) { host.kfd(); },
         "/dev/dri/renderD128 is missing; check udev"},
        {"another device", "128",
         [](AmdHost& host) { host.kfd().node("/dev/dri/renderD128", 226, 129); },
         "/dev/dri/renderD128 is c 226:129 instead of c 226:128"},
        {"another driver", "128",
         [](AmdHost& host) { host.kfd().node("/dev/dri/renderD128", 29, 128); },
         "/dev/dri/renderD128 is c 29:128 instead of c 226:128"},
        {"no kfd", "128", [](AmdHost& host) { host.node("/dev/dri/renderD128", 226, 128); },
         "/dev/kfd is missing; load the amdgpu module"},
        {"kfd of an earlier boot", "128",
         [](AmdHost& host) {
             host.kfd().node("/dev/dri/renderD128", 226, 128);
             host.file("/proc/devices", "Character devices:\n234 kfd\n");
         },
         "/dev/kfd is c 236:0 instead of c 234:0"},
        {"no render minor", "0", [](AmdHost& host) { host.kfd(); },
         "KFD names no render node for it (drm_render_minor 0)"},
        {"out of range", "256",
         [](AmdHost& host) { host.kfd().node("/dev/dri/renderD256", 226, 256); },
         "KFD names no render node for it (drm_render_minor 256)"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        AmdHost host;
        host.gpu(1, "gfx_target_version 90010\nlocation_id 768\ndrm_render_minor " + row.minor +
                        "\n");
        row.nodes(host);
        const Inventory inventory = host.inventory();
        REQUIRE(inventory.gpus.size() == 1);
        CHECK(inventory.gpus[0].index == 0);
        CHECK(inventory.gpus[0].unusable == row.unusable);
        CHECK((inventory.gpus[0].render_node() != nullptr) ==
              (std::string(row.unusable).find("dri") == std::string::npos && row.minor == "128"));
    }
}

TEST_CASE("an unreadable KFD node is a notice, and no CPU") {
    AmdHost host;
    host.kfd().cpu(0).folder(std::string(kKfdNodes) + "1");
    host.file(std::string(kKfdNodes) + "2/gpu_id", "77\n");
    host.folder(std::string(kKfdNodes) + "2/properties");
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.topology.size() == 3);
    CHECK_FALSE(inventory.topology[1].is_cpu);
    REQUIRE(inventory.gpus.size() == 1);
    CHECK(inventory.gpus[0].kfd_node == 2);
    CHECK_THAT(inventory.gpus[0].unusable, Catch::Contains("2/properties is a folder"));
    REQUIRE(inventory.notices.size() == 3);
    CHECK_THAT(inventory.notices[0], Catch::Contains("nodes/1/properties does not exist"));
}

namespace {

// A card and an integrated GPU behind it, as on a desktop with a Ryzen processor.
struct Desktop : AmdHost {
    Desktop() {
        kfd().cpu(0);
        gpu(1, "device_id 29663\nlocation_id 768\nunique_id 77\ndrm_render_minor 128\n");
        gpu(2, "device_id 5710\nlocation_id 3328\nunique_id 78\ndrm_render_minor 129\n");
        drm("card1", "0000:03:00.0", 1).drm("renderD128", "0000:03:00.0", 128);
        drm("card0", "0000:0d:00.0", 0).drm("renderD129", "0000:0d:00.0", 129);
    }
};

std::string seen(const Inventory& inventory) {
    std::string text;
    for (const Gpu& gpu : inventory.gpus)
        text += std::to_string(gpu.index) + " " + gpu.pci_address + " " + paths(gpu) +
                (gpu.unread ? "unread: " : "") + gpu.unusable + "\n";
    return text;
}

}  // namespace

TEST_CASE("a GPU whose file cannot be read leaves the indexes of all in doubt") {
    const std::string folder = std::string(kKfdNodes) + "1";
    const struct {
        const char* what;
        std::function<void(AmdHost&)> damage;
        const char* cause;
    } cases[] = {
        {"empty", [&](AmdHost& host) { host.file(folder + "/properties", ""); },
         "nodes/1/properties is empty"},
        {"a folder",
         [&](AmdHost& host) {
             std::filesystem::remove(host.path() + folder + "/properties");
             host.folder(folder + "/properties");
         },
         "nodes/1/properties is a folder (EISDIR)"},
        {"gone",
         [&](AmdHost& host) { std::filesystem::remove(host.path() + folder + "/properties"); },
         "nodes/1/properties does not exist (ENOENT)"},
        {"cut before its place",
         [&](AmdHost& host) { host.file(folder + "/properties", "simd_count 80\n"); },
         "KFD node 1 tells no location_id"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        Desktop host;
        CHECK(host.inventory().amd_doubt.empty());
        row.damage(host);
        const Inventory inventory = host.inventory();
        const std::string text = seen(inventory);
        CAPTURE(text);
        // In its place, of which the one card that KFD does not list tells.
        CHECK(text.starts_with("0 0000:03:00.0 unread: "));
        CHECK(text.ends_with("\n1 0000:0d:00.0 /dev/dri/renderD129 /dev/dri/card0 \n"));
        CHECK_THAT(inventory.amd_doubt, Catch::EndsWith(row.cause));
        CHECK(inventory.unread(Vendor::Amd) == inventory.amd_doubt);
        CHECK(inventory.unread(Vendor::Nvidia).empty());
        CHECK_THAT(inventory.notices.back(), Catch::Contains("may be another's"));
    }
    Desktop both;
    both.file(folder + "/properties", "").file(std::string(kKfdNodes) + "2/properties", "");
    CHECK(both.inventory().gpus.size() == 4);  // nobody knows which is which
    for (const Gpu& gpu : both.inventory().gpus) CHECK(gpu.unread);
    // Of a node that tells nothing at all nobody knows whether it is a GPU.
    Desktop unknown;
    unknown.file(folder + "/properties", "").file(folder + "/gpu_id", "");
    CHECK_THAT(seen(unknown.inventory()),
               Catch::Contains("1 0000:03:00.0 unread: ") && Catch::Contains("gpu_id"));
    CHECK_FALSE(unknown.inventory().amd_doubt.empty());
    // A processor's node may be as empty as it likes.
    Desktop processor;
    processor.file(std::string(kKfdNodes) + "0/properties", "");
    CHECK(processor.inventory().amd_doubt.empty());
    AmdHost empty;
    empty.kfd().drm("renderD128", "0000:03:00.0", 128).folder("/sys/class/kfd");
    CHECK_THAT(seen(empty.inventory()), Catch::Contains("nodes/ is empty or cannot be read"));
}

TEST_CASE("a GPU without a render minor is unread, and the indexes hold") {
    Desktop host;
    host.file(std::string(kKfdNodes) + "1/properties", "simd_count 80\nlocation_id 768\n");
    CHECK(seen(host.inventory()).starts_with(
        "0 0000:03:00.0 unread: KFD node 1 tells no drm_render_minor\n1 0000:0d:00.0 /dev/dri"));
    CHECK(host.inventory().amd_doubt.empty());
    CHECK_FALSE(host.inventory().unread(Vendor::Amd).empty());
}

TEST_CASE("without the majors no node can be told to be the driver's") {
    Desktop host;
    host.folder("/proc/devices");
    for (const Gpu& gpu : host.inventory().gpus) {
        CHECK(gpu.unread);
        CHECK_THAT(gpu.unusable, Catch::StartsWith("/proc/devices is a folder"));
    }
}

TEST_CASE("integrated GPUs are known by the merged node, the PCI id or the memory") {
    const struct {
        const char* what;
        std::string properties;
        const char* bank;
        bool integrated;
        std::optional<std::uint64_t> bytes;
    } cases[] = {
        {"a card", "device_id 29663\n", "heap_type 1\nsize_in_bytes 4096\n", false, 4096},
        {"private heap", "device_id 29663\n", "heap_type 2\nsize_in_bytes 8192\n", false, 8192},
        {"merged node", "cpu_cores_count 4\n", "heap_type 1\nsize_in_bytes 4096\n", true, 4096},
        {"Strix Halo", "device_id 5510\n", "heap_type 1\nsize_in_bytes 4096\n", true, 4096},
        {"system memory only", "device_id 1\n", "heap_type 0\nsize_in_bytes 4096\n", true, {}},
        {"banks unknown", "device_id 1\n", nullptr, false, {}},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        AmdHost host;
        host.gpu(0, "mem_banks_count 1\n" + row.properties);
        if (row.bank != nullptr)
            host.file(std::string(kKfdNodes) + "0/mem_banks/0/properties", row.bank);
        const Inventory inventory = host.inventory();
        REQUIRE(inventory.gpus.size() == 1);
        CHECK(inventory.gpus[0].integrated == row.integrated);
        CHECK(inventory.gpus[0].memory_bytes == row.bytes);
    }
}

TEST_CASE("without KFD amdgpu's cards are listed and not usable") {
    AmdHost host;
    host.drm("card1", "0000:03:00.0", 1).drm("renderD128", "0000:03:00.0", 128);
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.gpus.size() == 1);
    CHECK(inventory.gpus[0].unusable == "/sys/class/kfd is missing: this kernel has no KFD");
}
