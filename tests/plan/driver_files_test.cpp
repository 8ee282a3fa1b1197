#include <algorithm>

#include "catch.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using namespace gantry::test;

namespace {

const std::string kHost = "/usr/lib/x86_64-linux-gnu/";
const std::string kVersion = ".so.535.161.08";

// Name, target and the links that lead to it, as an installed driver has them.
InventoryParts driver() {
    InventoryParts parts;
    parts.nvidia("H100", 0).libcuda();
    for (const char* stem : {"libnvidia-ml", "libnvidia-ptxjitcompiler"})
        parts.library(kHost + stem + kVersion, {std::string(stem) + ".so", std::string(stem) + ".so.1",
                                                std::string(stem) + kVersion});
    parts.library(kHost + "libnvidia-nvvm" + kVersion,
                  {"libnvidia-nvvm.so", "libnvidia-nvvm.so.4", "libnvidia-nvvm" + kVersion});
    parts.library(kHost + "libnvidia-gpucomp" + kVersion, {"libnvidia-gpucomp" + kVersion});
    parts.library(kHost + "libnvidia-pkcs11" + kVersion, {"libnvidia-pkcs11" + kVersion});
    parts.library(kHost + "libnvidia-pkcs11-openssl3" + kVersion,
                  {"libnvidia-pkcs11-openssl3" + kVersion});
    parts.library(kHost + "libnvidia-glcore" + kVersion, {"libnvidia-glcore" + kVersion});
    parts.library(kHost + "libcudadebugger" + kVersion,
                  {"libcudadebugger.so.1", "libcudadebugger" + kVersion});
    parts.binary("/usr/bin/nvidia-smi").binary("/usr/bin/nvidia-xconfig");
    return parts;
}

SpecParts asking(const std::string& value = "0") {
    SpecParts parts;
    parts.env = {"NVIDIA_VISIBLE_DEVICES=" + value};
    return parts;
}

std::vector<std::string> mounts_of(const plan::Plan& plan) {
    std::vector<std::string> lines;
    for (const oci::MountEdit& edit : plan.edits.mounts)
        lines.push_back(edit.container_path + " < " + edit.host_path);
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string bind_at(const std::string& destination) {
    return R"(,{"destination":")" + destination + R"(","type":"bind","source":"/x"})";
}

}  // namespace

TEST_CASE("libraries are mounted under the names by which they are opened") {
    const std::string to = "/usr/lib/image/";
    const plan::Plan plan =
        planned(driver().get(), asking().view(), plan::ImageFacts{"/usr/lib/image", false});
    const auto line = [&](const std::string& name, const std::string& stem) {
        return to + name + " < " + kHost + stem + kVersion;
    };
    std::vector<std::string> expected = {
        "/usr/bin/nvidia-smi < /usr/bin/nvidia-smi",
        line("libcuda.so", "libcuda"),          // programs open it by that name
        line("libcuda.so.1", "libcuda"),
        line("libcudadebugger.so.1", "libcudadebugger"),
        line("libnvidia-gpucomp" + kVersion, "libnvidia-gpucomp"),  // it has no other
        line("libnvidia-ml.so", "libnvidia-ml"),
        line("libnvidia-ml.so.1", "libnvidia-ml"),
        line("libnvidia-nvvm.so.4", "libnvidia-nvvm"),
        line("libnvidia-pkcs11-openssl3" + kVersion, "libnvidia-pkcs11-openssl3"),
        line("libnvidia-pkcs11" + kVersion, "libnvidia-pkcs11"),
        line("libnvidia-ptxjitcompiler.so.1", "libnvidia-ptxjitcompiler"),
    };
    std::sort(expected.begin(), expected.end());
    CHECK(mounts_of(plan) == expected);
    for (const oci::MountEdit& edit : plan.edits.mounts)
        CHECK(edit.options == std::vector<std::string>{"bind", "ro", "nosuid", "nodev", "private"});
    CHECK(plan.expectation.nvidia.size() == 1);
    REQUIRE(plan.expectation.nodes.size() == 4);
    CHECK(plan.expectation.nodes[0].role == probe::NodeRole::NvidiaControl);
    CHECK(plan.expectation.nodes[1].role == probe::NodeRole::NvidiaUvm);
    CHECK(plan.expectation.nodes[3].role == probe::NodeRole::NvidiaGpu);
    CHECK(plan.edits.mounts[0].reason == "driver library of version 535.161.08");
}

TEST_CASE("none gives the driver's files and control nodes, and no GPU") {
    const plan::Plan plan = planned(driver().get(), asking("none").view());
    CHECK(plan.gpus.empty());
    CHECK(devices_of(plan) == "/dev/nvidiactl node+rule, /dev/nvidia-uvm node+rule, "
                              "/dev/nvidia-uvm-tools node+rule");
    CHECK(plan.edits.mounts.size() == 11);
    CHECK(plan.expectation.nvidia.size() == 0);
}

TEST_CASE("what another toolkit mounted is completed, not doubled") {
    const auto names = [](const SpecParts& spec) {
        std::string text;
        for (const oci::MountEdit& edit : planned(driver().get(), spec.view()).edits.mounts)
            text += edit.container_path.substr(edit.container_path.rfind('/') + 1) + " ";
        return text;
    };
    const std::string all = names(asking());
    REQUIRE(all.find("libcuda.so.1 ") != std::string::npos);

    // By CDI: the real name, in any folder; the links are made by a hook that
    // fails where a mount is in their place.
    for (const char* destination :
         {"/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.08", "/usr/lib64/libcuda.so.1",
          "/opt/driver//libcuda.so"}) {
        CAPTURE(destination);
        SpecParts spec = asking();
        spec.mounts = bind_at(destination);
        const std::string rest = names(spec);
        CHECK(rest.find("libcuda.so") == std::string::npos);
        CHECK(rest.find("libcudadebugger.so.1 ") != std::string::npos);
        CHECK(rest.find("libnvidia-ml.so.1 ") != std::string::npos);
    }
    // Names that only begin alike are others.
    SpecParts spec = asking();
    spec.mounts = bind_at("/usr/lib64/libcuda.sockets") + bind_at("/x/libcuda") + bind_at("/x/libcudart.so.1");
    CHECK(names(spec) == all);
    // Of two whose names begin alike only the one that is there is left out.
    spec.mounts = bind_at("/x/libnvidia-pkcs11-openssl3" + kVersion) + bind_at("/usr/bin/nvidia-smi");
    const std::string rest = names(spec);
    CHECK(rest.find("libnvidia-pkcs11.so") != std::string::npos);
    CHECK(rest.find("openssl3") == std::string::npos);
    CHECK(rest.find("nvidia-smi") == std::string::npos);
}

TEST_CASE("without libcuda of the module's version there is no NVIDIA container") {
    InventoryParts parts = driver();
    std::erase_if(parts.get().nvidia_libraries, [](const host::DriverFile& file) {
        return file.host_path.find("libcuda.") != std::string::npos;
    });
    for (const char* value : {"0", "none"}) {
        const auto plan = try_plan(parts.get(), asking(value).view());
        REQUIRE(!plan);
        CHECK(plan.error().code == Code::DriverFilesMissing);
        CHECK(plan.error().text().find("no libcuda.so.535.161.08 on the host") != std::string::npos);
    }
    // Unless it is there already.
    SpecParts spec = asking();
    spec.mounts = bind_at("/usr/lib64/libcuda.so.535.161.08");
    CHECK(try_plan(parts.get(), spec.view()));

    parts.get().nvidia_version.clear();
    const auto plan = try_plan(parts.get(), asking().view());
    REQUIRE(!plan);
    CHECK(plan.error().text().find("/proc/driver/nvidia/version") != std::string::npos);
}

TEST_CASE("an AMD container gets no NVIDIA file") {
    InventoryParts parts = driver();
    parts.cpu().kfd().amd("RX 7900 XTX", 110000, 128);
    SpecParts spec;
    spec.env = {"AMD_VISIBLE_DEVICES=0"};
    CHECK(planned(parts.get(), spec.view()).edits.mounts.empty());
}

TEST_CASE("a missing control node is told of") {
    InventoryParts parts = driver();
    std::erase_if(parts.get().nvidia_control, [](const host::DeviceNode& node) {
        return node.path == "/dev/nvidia-uvm-tools";
    });
    const plan::Plan plan = planned(parts.get(), asking().view());
    CHECK(has_notice(plan, "/dev/nvidia-uvm-tools is missing"));
    CHECK(devices_of(plan).find("nvidia-modeset") == std::string::npos);
}
