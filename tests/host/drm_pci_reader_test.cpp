#include "catch.hpp"
#include "host/pci_address.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

TEST_CASE("PCI addresses are parsed strictly and ordered by number") {
    CHECK(parse_pci_address("0000:03:00.0") == PciAddress{0, 3, 0, 0});
    CHECK(parse_pci_address("10000:e1:1f.7") == PciAddress{0x10000, 0xe1, 31, 7});
    CHECK(*parse_pci_address("ffff:ff:00.0") < *parse_pci_address("10000:00:00.0"));
    CHECK(parse_pci_address("10000:e1:1f.7")->text() == "10000:e1:1f.7");
    CHECK(parse_pci_address("0000:03:00.0")->text() == "0000:03:00.0");
    for (const char* bad : {"", "03:00.0", "0000:03:00", "0000:03:20.0", "0000:03:00.8",
                            "0000:03:00.0 ", "000g:03:00.0", "0000-03:00.0", "amdgpu_xcp_1"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_pci_address(bad));
    }
}

TEST_CASE("DRM nodes: only cards and render nodes, each with its own device") {
    test::TempTree tree;
    const std::string pci = "/sys/devices/pci0000:00/0000:03:00.0";
    tree.folder(pci + "/drm/card1").folder(pci + "/drm/renderD128");
    tree.link(pci + "/driver", "../../../bus/pci/drivers/amdgpu");
    tree.link("/sys/bus/pci/devices/0000:03:00.0", "../../../devices/pci0000:00/0000:03:00.0");
    tree.link("/sys/class/drm/card1", "../../devices/pci0000:00/0000:03:00.0/drm/card1");
    tree.link("/sys/class/drm/renderD128", "../../devices/pci0000:00/0000:03:00.0/drm/renderD128");
    // What real hosts have there besides.
    tree.folder("/sys/class/drm/card1-DP-1").folder("/sys/class/drm/card0-Virtual-1");
    tree.link("/sys/class/drm/controlD65", "../../devices/pci0000:00/0000:03:00.0/drm/card1");
    tree.file("/sys/class/drm/version", "drm 1.1.0 20060810\n").folder("/sys/class/drm/renderD");
    // A display link: `device` of its device is a folder, no link.
    tree.folder("/sys/devices/platform/evdi.0/device");
    tree.folder("/sys/devices/platform/evdi.0/drm/card3");
    tree.link("/sys/class/drm/card3", "../../devices/platform/evdi.0/drm/card3");
    tree.link("/sys/devices/platform/evdi.0/drm/card3/device", "../..");
    // A partition: no driver link leads from it.
    tree.link("/sys/class/drm/renderD129", "../../devices/platform/amdgpu_xcp_0/drm/renderD129");
    // Not made by any kernel: a folder in place of the link.
    tree.folder("/sys/class/drm/card9");

    std::string seen;
    for (const DrmNode& node : tree.facts().drm_nodes)
        seen += node.name + "=" + std::to_string(node.minor) + "," + node.device + "," +
                node.driver + "\n";
    CHECK(seen ==
          "card1=1,0000:03:00.0,amdgpu\n"
          "card3=3,evdi.0,\n"
          "card9=9,,\n"
          "renderD128=128,0000:03:00.0,amdgpu\n"
          "renderD129=129,amdgpu_xcp_0,amdgpu\n");
}

TEST_CASE("PCI devices: GPUs of both vendors, whoever drives them") {
    test::TempTree tree;
    const auto device = [&](const std::string& address, const char* vendor, const char* pci_class,
                            const char* driver) {
        const std::string folder = "/sys/bus/pci/devices/" + address;
        tree.file(folder + "/vendor", std::string(vendor) + "\n");
        tree.file(folder + "/device", "0x744c\n").file(folder + "/revision", "0xc8\n");
        if (*pci_class) tree.file(folder + "/class", std::string(pci_class) + "\n");
        if (*driver) tree.link(folder + "/driver", std::string("../../drivers/") + driver);
    };
    device("0000:03:00.0", "0x1002", "0x030000", "amdgpu");
    device("0000:03:00.1", "0x1002", "0x040300", "snd_hda_intel");
    device("0000:04:00.0", "0x1002", "0x120000", "vfio-pci");
    device("0000:05:00.0", "0x10de", "0x030200", "");
    device("0000:06:00.0", "0x1a03", "0x030000", "ast");
    device("0000:07:00.0", "0x1002", "", "amdgpu");  // class not to be had
    device("0000:08:00.0", "0x1002", "", "");
    device("0000:09:00.0", "1002", "0x030000", "");  // not as the kernel writes it
    tree.folder("/sys/bus/pci/devices/0000:0a:00.0/vendor").folder("/sys/bus/pci/devices/junk");
    tree.file("/sys/bus/pci/devices/0000:03:00.0/product_name", " Board\n");

    const HostFacts facts = tree.facts();
    std::string seen;
    for (const PciDevice& pci : facts.pci_devices) seen += pci.address + " " + pci.driver + "\n";
    CHECK(seen ==
          "0000:03:00.0 amdgpu\n0000:04:00.0 vfio-pci\n0000:05:00.0 \n0000:07:00.0 amdgpu\n");
    const PciDevice& first = facts.pci_devices[0];
    CHECK((first.vendor == 0x1002 && first.device == 0x744c && first.revision == 0xc8));
    CHECK(first.pci_class == 0x030000);
    CHECK(first.product_name == "Board");

    CHECK(tree.facts({.amd = false}).pci_devices.size() == 1);
    CHECK(tree.facts({.nvidia = false}).pci_devices.size() == 3);
    // Nothing says that amdgpu holds any: no PCI device is looked at.
    CHECK(tree.facts({.unclaimed = false}).pci_devices.empty());
}

TEST_CASE("the cheap read knows the same names of AMD's GPUs as the full one") {
    for (const char* host : {"rx-6700-xt-raphael", "mi300x-8-spx", "mixed-amd-nvidia"}) {
        CAPTURE(host);
        const auto root = HostRoot::open(std::string(GANTRY_FIXTURES "/hosts/") + host);
        REQUIRE(root);
        const auto full = read_host_facts(*root, {.nvidia = false});
        const auto cheap = read_host_facts(*root, {.nvidia = false, .unclaimed = false});
        REQUIRE((full && cheap));
        REQUIRE(full->pci_devices.size() == cheap->pci_devices.size());
        for (std::size_t i = 0; i < full->pci_devices.size(); ++i) {
            const PciDevice &a = full->pci_devices[i], &b = cheap->pci_devices[i];
            CHECK((a.address == b.address && a.device == b.device && a.revision == b.revision));
            CHECK((a.product_name == b.product_name && a.driver == b.driver));
        }
    }
}
