#include "catch.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kMultiarch = "/usr/lib/x86_64-linux-gnu/";
const std::string kElf64("\x7f" "ELF\x02\x01\x01\0", 8);
const std::string kElf32("\x7f" "ELF\x01\x01\x01\0", 8);

test::TempTree& with_driver(test::TempTree& tree) {
    return tree.file("/proc/driver/nvidia/version",
                     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1.2  today\n");
}

// host_path without the root -> names
std::string text(const test::TempTree& tree, const std::vector<DriverFile>& files) {
    std::string all;
    for (const DriverFile& file : files) {
        REQUIRE(file.host_path.starts_with(tree.path()));
        all += file.host_path.substr(tree.path().size()) + ":";
        for (const std::string& name : file.names) all += " " + name;
        all += "\n";
    }
    return all;
}

}  // namespace

TEST_CASE("the eight-GPU host has 41 libraries with all their names, and five programs") {
    const auto root = HostRoot::open(GANTRY_FIXTURES "/hosts/h100-8");
    REQUIRE(root);
    const auto facts = read_host_facts(*root);
    REQUIRE(facts);
    CHECK(facts->nvidia_version == "535.161.08");
    REQUIRE(facts->nvidia_libraries.size() == 41);
    CHECK(facts->nvidia_binaries.size() == 5);
    const std::string folder = root->path() + kMultiarch;
    std::map<std::string, Names> names;
    for (const DriverFile& file : facts->nvidia_libraries) {
        REQUIRE(file.host_path.starts_with(folder));
        CHECK(file.host_path.substr(folder.size()) == file.names.at(0));
        CHECK(file.host_path.ends_with(".so.535.161.08"));
        names[file.names[0]] = file.names;
    }
    CHECK(names.at("libcuda.so.535.161.08") ==
          Names{"libcuda.so.535.161.08", "libcuda.so", "libcuda.so.1"});
    CHECK(names.at("libGLX_nvidia.so.535.161.08") ==
          Names{"libGLX_nvidia.so.535.161.08", "libGLX_indirect.so.0", "libGLX_nvidia.so.0"});
    CHECK(names.at("libnvidia-nscq.so.535.161.08") ==
          Names{"libnvidia-nscq.so.535.161.08", "libnvidia-nscq.so", "libnvidia-nscq.so.2",
                "libnvidia-nscq.so.2.0"});
    CHECK(names.at("libnvidia-pkcs11.so.535.161.08") == Names{"libnvidia-pkcs11.so.535.161.08"});
    CHECK(facts->nvidia_binaries[4].host_path == root->path() + "/usr/bin/nvidia-smi");
    CHECK(facts->nvidia_binaries[4].names == Names{"nvidia-smi"});
}

TEST_CASE("only the version of the kernel module counts") {
    test::TempTree tree;
    with_driver(tree);
    const std::string folder = kMultiarch;
    for (const char* name : {"libcuda.so.535.1.2", "libcuda.so.535.1.22", "libcuda.so.1.535.1.2",
                             "libcuda.so.535.1", "libnvidia-ml.so.470.9", "cuda535.1.2"})
        tree.file(folder + name, "x");
    tree.link(folder + "libcuda.so.1", "libcuda.so.535.1.22");  // left over from another driver
    tree.folder(folder + "libfolder.so.535.1.2");
    CHECK(text(tree, tree.facts().nvidia_libraries) ==
          folder + "libcuda.so.535.1.2: libcuda.so.535.1.2\n");
}

TEST_CASE("links: chains, absolute ones, ones that lead out of the folder, loops") {
    test::TempTree tree;
    with_driver(tree);
    const std::string folder = kMultiarch;
    tree.file(folder + "libcuda.so.535.1.2", "x");
    tree.link(folder + "libcuda.so", "libcuda.so.1");
    tree.link(folder + "libcuda.so.1", folder + "libcuda.so.535.1.2");
    tree.link(folder + "libcuda.so.2", "./libcuda.so.535.1.2");
    tree.link(folder + "libcuda.so.3", "../../../etc/alternatives/libcuda.so.535.1.2");
    tree.link(folder + "libcuda.so.4", "libcuda.so.5");
    tree.link(folder + "libcuda.so.5", "libcuda.so.4");
    tree.link(folder + "libother.so.1", "libcuda.so.535.1.2");  // another library's name
    CHECK(text(tree, tree.facts().nvidia_libraries) ==
          folder + "libcuda.so.535.1.2: libcuda.so.535.1.2 libcuda.so libcuda.so.1 libcuda.so.2\n");
}

TEST_CASE("a folder by two names and a library in two folders count once") {
    test::TempTree tree;
    with_driver(tree);
    tree.link("/lib64", "usr/lib64").link("/lib", "usr/lib");
    tree.file("/usr/lib64/libcuda.so.535.1.2", "x");
    tree.link("/usr/lib64/libcuda.so.1", "libcuda.so.535.1.2");
    tree.file(std::string(kMultiarch) + "libcuda.so.535.1.2", "x");
    const std::string current = std::string(kMultiarch) + "nvidia/current/";
    tree.file(current + "libnvidia-ml.so.535.1.2", "x");
    tree.link(current + "libnvidia-ml.so.1", "libnvidia-ml.so.535.1.2");
    CHECK(text(tree, tree.facts().nvidia_libraries) ==
          "/usr/lib/x86_64-linux-gnu/nvidia/current/libnvidia-ml.so.535.1.2: "
          "libnvidia-ml.so.535.1.2 libnvidia-ml.so.1\n"
          "/usr/lib64/libcuda.so.535.1.2: libcuda.so.535.1.2 libcuda.so.1\n");
}

TEST_CASE("a link that bears the version gives the file behind it") {
    test::TempTree tree;
    with_driver(tree);
    tree.file("/opt/nvidia/libcuda.so.535.1.2", "x");
    tree.link("/usr/lib64/libcuda.so.535.1.2", "/opt/nvidia/libcuda.so.535.1.2");
    tree.link("/usr/lib64/libcuda.so.1", "libcuda.so.535.1.2");
    tree.link("/usr/lib64/libnvidia-ml.so.535.1.2", "/nowhere");
    CHECK(text(tree, tree.facts().nvidia_libraries) ==
          "/opt/nvidia/libcuda.so.535.1.2: libcuda.so.535.1.2 libcuda.so.1\n");
}

TEST_CASE("in a folder that can hold both, 32-bit libraries are left out") {
    test::TempTree tree;
    with_driver(tree);
    tree.file("/usr/lib/libcuda.so.535.1.2", kElf64);
    tree.file("/usr/lib/libnvidia-ml.so.535.1.2", kElf32);
    tree.file("/usr/lib/libnvidia-nvvm.so.535.1.2", "a stand-in");
    tree.file("/usr/lib/libnvidia-cfg.so.535.1.2");  // empty: left over in committed images
    CHECK(text(tree, tree.facts().nvidia_libraries) ==
          "/usr/lib/libcuda.so.535.1.2: libcuda.so.535.1.2\n"
          "/usr/lib/libnvidia-nvvm.so.535.1.2: libnvidia-nvvm.so.535.1.2\n");
}

TEST_CASE("programs: the first folder that has one, links followed to the file") {
    test::TempTree tree;
    with_driver(tree);
    tree.file("/usr/lib/nvidia/current/nvidia-smi", "x");
    tree.link("/usr/bin/nvidia-smi", "/etc/alternatives/nvidia-smi");
    tree.link("/etc/alternatives/nvidia-smi", "/usr/lib/nvidia/current/nvidia-smi");
    tree.file("/usr/sbin/nvidia-smi", "x").file("/usr/sbin/nvidia-persistenced", "x");
    tree.folder("/usr/bin/nvidia-debugdump").file("/usr/bin/nvidia-settings", "x");
    CHECK(text(tree, tree.facts().nvidia_binaries) ==
          "/usr/lib/nvidia/current/nvidia-smi: nvidia-smi\n"
          "/usr/sbin/nvidia-persistenced: nvidia-persistenced\n");
}

TEST_CASE("without the kernel module no driver file is looked for") {
    test::TempTree tree;
    tree.file("/usr/lib64/libcuda.so.535.1.2", "x").file("/usr/bin/nvidia-smi", "x");
    CHECK(tree.facts().nvidia_libraries.empty());
    CHECK(tree.facts().nvidia_binaries.empty());
}
