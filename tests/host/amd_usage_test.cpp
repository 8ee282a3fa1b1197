#include "host/amd_usage.hpp"

#include "catch.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

namespace {

AmdUsage usage_in(const test::TempTree& tree) {
    return read_amd_usage(*HostRoot::open(tree.path()), 1, "0000:03:00.0");
}

}  // namespace

TEST_CASE("processes that hold this GPU's memory are counted, others are not") {
    test::TempTree tree;
    const std::string kfd = "/sys/class/kfd/kfd/";
    tree.file(kfd + "topology/nodes/1/gpu_id", "4711\n");
    CHECK(usage_in(tree).processes == 0);
    tree.file(kfd + "proc/100/vram_4711", "1048576\n");
    tree.file(kfd + "proc/101/vram_4711", "0\n");
    tree.file(kfd + "proc/102/vram_4712", "1048576\n");
    tree.file(kfd + "proc/103/vram_4711", "nonsense\n");
    tree.file(kfd + "proc/104/vram_4711", "4096\n");
    CHECK(usage_in(tree).processes == 2);
}

TEST_CASE("memory in use is that of the PCI device; what is not there is unknown") {
    test::TempTree tree;
    CHECK_FALSE(usage_in(tree).used_bytes);
    tree.file("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "12345\n");
    CHECK(usage_in(tree).used_bytes == 12345);
    CHECK_FALSE(usage_in(tree).total_bytes);
    tree.file("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total", "99999\n");
    CHECK(usage_in(tree).total_bytes == 99999);
}
