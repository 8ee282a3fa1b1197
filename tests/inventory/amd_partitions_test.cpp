#include "catch.hpp"
#include "inventory/amd_host.hpp"

using namespace gantry;
using namespace gantry::inventory;
using test::AmdHost;
using test::kKfdNodes;
using test::paths;

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
            host.file(kKfdNodes + std::to_string(node) + "/properties",
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
