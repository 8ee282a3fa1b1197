#include <filesystem>

#include "catch.hpp"
#include "host/temp_tree.hpp"
#include "inventory/inventory.hpp"

using namespace gantry;
using namespace gantry::inventory;

namespace {

class NvidiaHost : public test::TempTree {
public:
    NvidiaHost& gpu(const std::string& address, const std::string& lines) {
        file("/proc/driver/nvidia/gpus/" + address + "/information", lines);
        return *this;
    }
    NvidiaHost& control() {
        node("/dev/nvidiactl", 195, 255).node("/dev/nvidia-uvm", 510, 0);
        node("/dev/nvidia-uvm-tools", 510, 1);
        return *this;
    }
    NvidiaHost& devices(const std::string& lines) {
        file("/proc/devices", "Character devices:\n" + lines + "\nBlock devices:\n  8 sd\n");
        return *this;
    }
    [[nodiscard]] Inventory inventory() const { return build_inventory(facts()); }
};

std::string seen(const Inventory& inventory) {
    std::string text;
    for (const Gpu& gpu : inventory.gpus) {
        text += std::to_string(gpu.index) + " " + gpu.pci_address;
        for (const host::DeviceNode& node : gpu.nodes) text += " " + node.path;
        text += (gpu.unusable.empty() ? "" : " ! ") + gpu.unusable + "\n";
    }
    return text;
}

std::string joined(const std::vector<std::string>& notices) {
    std::string text;
    for (const std::string& notice : notices) text += notice + "\n";
    return text;
}

}  // namespace

TEST_CASE("the index is the PCI order, the node what the driver says") {
    NvidiaHost host;
    host.gpu("0000:51:00.0", "Device Minor: \t 0\nGPU UUID: GPU-cccccccc\n");
    host.gpu("0000:0f:00.0", "Device Minor: \t 2\nGPU UUID: GPU-aaaaaaaa\n");
    host.gpu("0000:15:00.0", "Device Minor: \t 3\nGPU UUID: GPU-bbbbbbbb\n");
    host.control().node("/dev/nvidia0", 195, 0).node("/dev/nvidia2", 195, 2);
    host.node("/dev/nvidia3", 195, 3);
    const Inventory inventory = host.inventory();
    CHECK(seen(inventory) ==
          "0 0000:0f:00.0 /dev/nvidia2\n"
          "1 0000:15:00.0 /dev/nvidia3\n"
          "2 0000:51:00.0 /dev/nvidia0\n");
    CHECK(inventory.gpus[1].unique_id == "GPU-bbbbbbbb");
    CHECK(inventory.notices.empty());
}

TEST_CASE("odd information files make one GPU unusable and leave the others") {
    NvidiaHost host;
    host.gpu("0000:03:00.0", "Model: Quadro P2000\nGPU UUID: GPU-21212121\nDevice Minor: 1\n");
    host.gpu("0000:04:00.0", "Model: GeForce GTX 650\nGPU UUID: GPU-31313131\n");
    host.gpu("0000:05:00.0", "Model: Unknown\nGPU UUID: GPU-????????\nDevice Minor: 2\n");
    host.gpu("0000:06:00.0", "");
    host.gpu("0000:07:00.0", "Device Minor: 4\nGPU Excluded: Yes\n");
    host.gpu("0000:08:00.0", "Device Minor: 9\n");
    host.control().node("/dev/nvidia0", 195, 0).node("/dev/nvidia1", 195, 1);
    host.node("/dev/nvidia2", 195, 2).node("/dev/nvidia4", 195, 4);
    const Inventory inventory = host.inventory();
    CHECK(seen(inventory) ==
          "0 0000:03:00.0 /dev/nvidia1\n"
          "1 0000:04:00.0 ! the driver does not tell its minor number\n"
          "2 0000:05:00.0 /dev/nvidia2\n"
          "3 0000:06:00.0 ! /proc/driver/nvidia/gpus/0000:06:00.0/information is empty\n"
          "4 0000:07:00.0 /dev/nvidia4 ! excluded by the driver option NVreg_ExcludedGpus\n"
          "5 0000:08:00.0 ! /dev/nvidia9 is missing; run nvidia-modprobe -c 9\n");
    CHECK(inventory.gpus[2].unique_id.empty());  // question marks are no id
    CHECK(inventory.gpus[0].unique_id == "GPU-21212121");
    CHECK(inventory.gpus[3].name == "NVIDIA GPU");
    std::string unread;
    for (const Gpu& gpu : inventory.gpus) unread += gpu.unread ? "1" : "0";
    CHECK(unread == "010100");
    CHECK(inventory.unread(Vendor::Nvidia) == "the driver does not tell its minor number");
    std::filesystem::remove(host.path() + "/proc/devices");
    host.folder("/proc/devices");
    for (const Gpu& gpu : host.inventory().gpus) CHECK(gpu.unread);
}

TEST_CASE("nodes must have the numbers of /proc/devices, old names and new") {
    for (const char* name : {"nvidia", "nvidia-frontend"}) {
        CAPTURE(name);
        NvidiaHost host;
        host.gpu("0000:03:00.0", "Device Minor: 0\n").gpu("0000:04:00.0", "Device Minor: 1\n");
        host.gpu("0000:05:00.0", "Device Minor: 2\n");
        host.control().node("/dev/nvidia0", 195, 0).node("/dev/nvidia1", 190, 1);
        host.node("/dev/nvidia-two", 195, 2);
        host.devices(std::string("195 ") + name + "\n510 nvidia-uvm\n511 nvidia-caps\n");
        CHECK(seen(host.inventory()) ==
              "0 0000:03:00.0 /dev/nvidia0\n"
              "1 0000:04:00.0 ! /dev/nvidia1 is c 190:1 instead of c 195:1\n"
              "2 0000:05:00.0 /dev/nvidia-two\n");
    }
}

TEST_CASE("missing control nodes are told with what makes them") {
    const char* gpu = "Device Minor: 0\n";
    NvidiaHost bare;
    bare.gpu("0000:01:00.0", gpu).node("/dev/nvidia0", 195, 0).node("/dev/nvidiactl", 195, 255);
    CHECK(seen(bare.inventory()) == "0 0000:01:00.0 /dev/nvidia0\n");
    CHECK(joined(bare.inventory().notices) ==
          "/dev/nvidia-uvm is missing; CUDA needs it: run nvidia-modprobe -u -c 0\n"
          "/dev/nvidia-uvm-tools is missing; CUDA profilers need it: "
          "run nvidia-modprobe -u -c 0\n");

    NvidiaHost stale;  // the module came back with another major
    stale.gpu("0000:01:00.0", gpu).control().node("/dev/nvidia0", 195, 0);
    stale.devices("195 nvidia\n234 nvidia-uvm\n");
    CHECK_THAT(joined(stale.inventory().notices),
               Catch::Contains("/dev/nvidia-uvm is c 510:0 instead of c 234:0; CUDA needs it"));
    CHECK(stale.inventory().nvidia_control.size() == 1);

    NvidiaHost without_ctl;
    without_ctl.gpu("0000:01:00.0", gpu).node("/dev/nvidia0", 195, 0);
    CHECK(seen(without_ctl.inventory()) ==
          "0 0000:01:00.0 /dev/nvidia0 ! /dev/nvidiactl is missing\n");

    NvidiaHost no_gpu;  // nothing to complain of
    no_gpu.file("/proc/driver/nvidia/version", "NVRM version: x  535.1.2  y\n");
    CHECK(no_gpu.inventory().notices.empty());
}

TEST_CASE("a driver without its libraries is told") {
    NvidiaHost host;
    host.gpu("0000:01:00.0", "Device Minor: 0\n").control().node("/dev/nvidia0", 195, 0);
    host.file("/proc/driver/nvidia/version", "NVRM version: x  535.1.2  y\n");
    CHECK(joined(host.inventory().notices) ==
          "no library of NVIDIA driver 535.1.2 is in the usual library folders\n");
    host.file("/usr/lib64/libcuda.so.535.1.2", "x");
    CHECK(host.inventory().notices.empty());
}

TEST_CASE("NVIDIA GPUs that its driver does not run are listed last") {
    NvidiaHost host;
    host.gpu("0000:05:00.0", "Device Minor: 0\n").control().node("/dev/nvidia0", 195, 0);
    const auto pci = [&](const std::string& address, const std::string& driver) {
        const std::string folder = "/sys/bus/pci/devices/" + address;
        host.file(folder + "/vendor", "0x10de\n").file(folder + "/class", "0x030200\n");
        host.file(folder + "/device", "0x2330\n");
        if (!driver.empty()) host.link(folder + "/driver", "../../drivers/" + driver);
    };
    pci("0000:01:00.0", "nouveau");
    pci("0000:02:00.0", "");
    pci("0000:05:00.0", "nvidia");
    pci("0000:06:00.0", "nvidia");
    CHECK(seen(host.inventory()) ==
          "0 0000:05:00.0 /dev/nvidia0\n"
          "1 0000:01:00.0 ! driver nouveau holds it instead of nvidia\n"
          "2 0000:02:00.0 ! no driver holds it; load nvidia\n"
          "3 0000:06:00.0 ! the nvidia driver holds it, but does not list it as a GPU\n");
    CHECK(host.inventory().gpus[1].name == "10de:2330");
}
