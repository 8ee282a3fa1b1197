#include <set>

#include "catch.hpp"
#include "host/temp_tree.hpp"
#include "inventory/inventory.hpp"

using namespace gantry;
using namespace gantry::inventory;

namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes/";

class AmdHost : public test::TempTree {
public:
    AmdHost& cpu(unsigned index) {
        file(kNodes + std::to_string(index) + "/gpu_id", "0\n");
        file(kNodes + std::to_string(index) + "/properties", "cpu_cores_count 8\nsimd_count 0\n");
        return *this;
    }
    AmdHost& gpu(unsigned index, const std::string& properties) {
        file(kNodes + std::to_string(index) + "/gpu_id", std::to_string(1000 + index) + "\n");
        file(kNodes + std::to_string(index) + "/properties", "simd_count 80\n" + properties);
        return *this;
    }
    // A DRM node below a device; parts of its path in sysfs as the kernel has them.
    AmdHost& drm(const std::string& name, const std::string& device, unsigned minor,
                 const std::string& driver = "amdgpu") {
        const bool pci = device.find(':') != device.npos;
        link("/sys/class/drm/" + name,
             std::string("../../devices/") + (pci ? "pci0000:00/" : "platform/") + device +
                 "/drm/" + name);
        if (pci && drivers_.emplace(device).second)
            link("/sys/bus/pci/devices/" + device + "/driver", "../../drivers/" + driver);
        node("/dev/dri/" + name, 226, minor, 110);
        return *this;
    }
    AmdHost& kfd() {
        node("/dev/kfd", 236, 0, 110);
        return *this;
    }
    [[nodiscard]] Inventory inventory() const { return build_inventory(facts()); }

private:
    std::set<std::string> drivers_;
};

std::string paths(const Gpu& gpu) {
    std::string text;
    for (const host::DeviceNode& node : gpu.nodes) text += node.path + " ";
    return text;
}

}  // namespace

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

TEST_CASE("a PCI address is DRM's word first: virtual functions have real function bits") {
    AmdHost host;
    host.kfd().cpu(0);
    host.gpu(1, "gfx_target_version 90402\nlocation_id 2065\ndrm_render_minor 128\n");
    host.gpu(2, "gfx_target_version 90402\ndrm_render_minor 129\n");  // no location_id
    host.drm("renderD128", "0000:08:02.1", 128).drm("renderD129", "0000:08:02.2", 129);
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.gpus.size() == 2);
    CHECK(inventory.gpus[0].pci_address == "0000:08:02.1");
    CHECK(inventory.gpus[1].pci_address == "0000:08:02.2");
    CHECK_FALSE(inventory.gpus[0].partition);

    AmdHost undisclosed;  // no word from DRM: KFD's, of which the function bits do not count
    undisclosed.gpu(0, "location_id 1281\ndomain 2\ndrm_render_minor 128\n");
    CHECK(undisclosed.inventory().gpus.at(0).pci_address == "0002:05:00.0");
}

TEST_CASE("partitions of a card are GPUs of their own, at the card's address") {
    for (const std::string separator : {"_", "."}) {
        CAPTURE(separator);
        AmdHost host;
        host.kfd().cpu(0);
        for (unsigned i = 0; i < 3; ++i)
            host.gpu(1 + i, "gfx_target_version 90402\ndevice_id 29857\nlocation_id " +
                                std::to_string(256 + i) + "\ndomain 0\ndrm_render_minor " +
                                std::to_string(128 + i) + "\nunique_id 1234605616436508552\n");
        host.drm("card1", "0000:01:00.0", 1).drm("renderD128", "0000:01:00.0", 128);
        host.drm("card2", "amdgpu_xcp" + separator + "0", 2);
        host.drm("renderD129", "amdgpu_xcp" + separator + "0", 129);
        host.drm("card3", "amdgpu_xcp" + separator + "1", 3);
        host.drm("renderD130", "amdgpu_xcp" + separator + "1", 130);
        const Inventory inventory = host.inventory();
        REQUIRE(inventory.gpus.size() == 3);
        for (unsigned i = 0; i < 3; ++i) {
            const Gpu& gpu = inventory.gpus[i];
            CHECK(gpu.pci_address == "0000:01:00.0");
            CHECK(gpu.partition == i);
            CHECK(gpu.unique_id == "1122334455667788");
            CHECK(gpu.unusable.empty());
            CHECK(paths(gpu) == "/dev/dri/renderD" + std::to_string(128 + i) + " /dev/dri/card" +
                                    std::to_string(1 + i) + " ");
        }
    }
}

TEST_CASE("63 partitions of eight cards, also where /sys/class/drm is hidden") {
    AmdHost host;
    host.kfd().cpu(0).cpu(1);
    const unsigned buses[] = {0x05, 0x27, 0x47, 0x65, 0x85, 0xa7, 0xc7, 0xe5};
    unsigned node = 2, render = 128, partition_device = 0;
    for (const unsigned bus : buses)
        for (unsigned part = 0; part < 8 && render < 191; ++part, ++node, ++render) {
            const std::string name = "renderD" + std::to_string(render);
            // As in one public dump: without gpu_id.
            host.file(kNodes + std::to_string(node) + "/properties",
                      "simd_count 152\ngfx_target_version 90402\nlocation_id " +
                          std::to_string(bus << 8 | part) + "\ndomain 0\ndrm_render_minor " +
                          std::to_string(render) + "\nunique_id " +
                          std::to_string(16404946649897475633ULL + bus) + "\n");
            const std::string card = "card" + std::to_string(render - 127);
            host.node("/dev/dri/" + name, 226, render, 110);
            host.node("/dev/dri/" + card, 226, render - 127, 44);
            std::string device =
                "/sys/devices/platform/amdgpu_xcp_" + std::to_string(partition_device);
            if (part == 0) {
                char address[16];
                std::snprintf(address, sizeof address, "0000:%02x:00.0", bus);
                device = std::string("/sys/bus/pci/devices/") + address;
                host.folder(device + "/drm/card1-DP-1");
                host.link(device + "/driver", "../../drivers/amdgpu");
            } else {
                ++partition_device;
            }
            host.folder(device + "/drm/" + name).folder(device + "/drm/" + card);
        }
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.gpus.size() == 63);
    CHECK(inventory.notices.empty());
    for (const Gpu& gpu : inventory.gpus) {
        CHECK(paths(gpu) == "/dev/dri/renderD" + std::to_string(gpu.index + 128) +
                                " /dev/dri/card" + std::to_string(gpu.index + 1) + " ");
        CHECK(gpu.partition == gpu.index % 8);
        CHECK(gpu.pci_address.ends_with(":00.0"));
        CHECK(gpu.unusable.empty());
        CHECK(gpu.kfd_node == gpu.index + 2);
    }
    CHECK(inventory.gpus[8].pci_address == "0000:27:00.0");
    CHECK(inventory.gpus[8].unique_id == "e3aa140f9a5f9e58");
    CHECK(describe_gpus(inventory, Vendor::Amd).size() < 300);
    CHECK_THAT(describe_gpus(inventory, Vendor::Amd), Catch::EndsWith(" and 57 more up to 62"));
}

TEST_CASE("cards that KFD does not list come last and are not given out") {
    AmdHost host;
    host.kfd().cpu(0);
    host.gpu(1, "gfx_target_version 110001\nlocation_id 1024\ndrm_render_minor 128\n");
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
          "0 (1002:0000, 0000:04:00.0), 1 (AMD GPU, 0000:03:00.0, not usable), "
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
    host.kfd().cpu(0).folder(std::string(kNodes) + "1");
    host.file(std::string(kNodes) + "2/gpu_id", "77\n");
    host.folder(std::string(kNodes) + "2/properties");
    const Inventory inventory = host.inventory();
    REQUIRE(inventory.topology.size() == 3);
    CHECK_FALSE(inventory.topology[1].is_cpu);
    REQUIRE(inventory.gpus.size() == 1);
    CHECK(inventory.gpus[0].kfd_node == 2);
    CHECK_THAT(inventory.gpus[0].unusable, Catch::Contains("2/properties is a folder"));
    REQUIRE(inventory.notices.size() == 2);
    CHECK_THAT(inventory.notices[0], Catch::Contains("nodes/1/properties does not exist"));
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
            host.file(std::string(kNodes) + "0/mem_banks/0/properties", row.bank);
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
