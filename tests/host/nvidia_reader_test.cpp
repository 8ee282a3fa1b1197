#include "catch.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

namespace {

constexpr const char* kGpus = "/proc/driver/nvidia/gpus/";
// Until a GPU was initialised; in pieces because of trigraphs.
constexpr const char* kUnknownUuid = "GPU-????????" "-????" "-????" "-????" "-????????????";

}  // namespace

TEST_CASE("the driver version is found in both forms of the line") {
    const struct {
        const char* text;
        const char* version;
    } cases[] = {
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 17 22:55:48\n"
         "GCC version:  gcc version 11.4.0\n",
         "535.161.08"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build\n",
         "550.54.14"},
        {"NVRM version: NVIDIA UNIX aarch64 Kernel Module  470.57\n", "470.57"},
        {"GCC version:  gcc version 11.4.0\n", ""},
        {"", ""},
        {"NVRM version: ../../etc/x.1 .. 1..2 550\n", ""},
    };
    for (const auto& row : cases) {
        CAPTURE(row.text);
        test::TempTree tree;
        tree.file("/proc/driver/nvidia/version", row.text);
        const HostFacts facts = tree.facts();
        CHECK(facts.nvidia_version == row.version);
        CHECK(facts.problems.empty() == (*row.version != '\0'));
    }
    CHECK(test::TempTree().facts().problems.empty());
    test::TempTree odd;
    odd.folder("/proc/driver/nvidia/version");
    REQUIRE(odd.facts().problems.size() == 1);
    CHECK_THAT(odd.facts().problems[0], Catch::Contains("version is a folder (EISDIR)"));
}

TEST_CASE("information files are parsed by key, and a bad one is one GPU's problem") {
    test::TempTree tree;
    tree.file(std::string(kGpus) + "0000:0F:00.0/information",
              "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 300\n"
              "GPU UUID: \t GPU-aaaaaaaa-0000-0000-0000-000000000000\n"
              "Bus Location: \t 0000:0f:00.0\nDevice Minor: \t 2\nGPU Excluded:\t No\n");
    tree.file(std::string(kGpus) + "0000:04:00.0/information",
              "Model:           GeForce GTX 650\nno colon here\nNew Key: a: b\n"
              "GPU UUID:        " + std::string(kUnknownUuid) + "\n");
    tree.file(std::string(kGpus) + "0000:05:00.0/information",
              "Model: \x1b[31m\xff\nDevice Minor: -1\nGPU Excluded: Yes\n");
    tree.file(std::string(kGpus) + "0000:06:00.0/information");
    tree.folder(std::string(kGpus) + "0000:07:00.0");
    tree.folder(std::string(kGpus) + "0000:08:00.0/information");
    tree.file(std::string(kGpus) + "0000:09:00.0/information", std::string(70000, 'x'));
    tree.file(std::string(kGpus) + "10000:01:00.0/information", "Device Minor: 7\n");
    tree.file(std::string(kGpus) + "2000:01:00.0/information", "Device Minor: 8\n");
    tree.folder(std::string(kGpus) + "junk");
    const auto gpus = tree.facts().nvidia_gpus;
    REQUIRE(gpus.size() == 9);

    CHECK(gpus[0].address == "0000:04:00.0");
    CHECK(gpus[0].model == "GeForce GTX 650");
    CHECK(gpus[0].uuid == kUnknownUuid);
    CHECK_FALSE(gpus[0].minor);
    CHECK(gpus[0].problem.empty());

    CHECK(gpus[1].model == "\\x1b[31m\\xff");
    CHECK_FALSE(gpus[1].minor);
    CHECK(gpus[1].excluded);

    CHECK_THAT(gpus[2].problem, Catch::Contains("0000:06:00.0/information is empty"));
    CHECK_THAT(gpus[3].problem, Catch::Contains("ENOENT"));
    CHECK_THAT(gpus[4].problem, Catch::Contains("EISDIR"));
    CHECK_THAT(gpus[5].problem, Catch::Contains("EFBIG"));

    CHECK(gpus[6].address == "0000:0f:00.0");  // as the rest of the system writes it
    CHECK(gpus[6].model == "NVIDIA A100-SXM4-40GB");
    CHECK(gpus[6].uuid == "GPU-aaaaaaaa-0000-0000-0000-000000000000");
    CHECK(gpus[6].minor == 2);
    CHECK_FALSE(gpus[6].excluded);
    CHECK(gpus[7].address == "2000:01:00.0");  // by number, not by text
    CHECK(gpus[8].address == "10000:01:00.0");
}

TEST_CASE("majors come from the character section, by exact name") {
    test::TempTree tree;
    tree.node("/dev/kfd", 234, 0);
    tree.file("/proc/devices",
              "Character devices:\n  1 mem\n  5 /dev/tty\n195 nvidia-frontend\n226 drm\n"
              "237 nvidia-caps\n510 nvidia-uvm\nx nvidia-odd\n\n"
              "Block devices:\n  8 sd\n196 nvidia\n");
    const auto majors = tree.facts().char_majors;
    CHECK(majors.at("nvidia-uvm") == 510);
    CHECK(majors.at("mem") == 1);
    CHECK(majors.at("/dev/tty") == 5);
    CHECK(majors.count("nvidia") == 0);
    CHECK(majors.count("nvidia-odd") == 0);
    CHECK(majors.count("sd") == 0);
}

TEST_CASE("what is not asked for is not read") {
    const auto root = HostRoot::open(GANTRY_FIXTURES "/hosts/mixed-amd-nvidia");
    REQUIRE(root);
    const auto amd = read_host_facts(*root, {.nvidia = false});
    REQUIRE(amd);
    CHECK(amd->kfd_nodes.size() == 2);
    CHECK(amd->nvidia_gpus.empty());
    CHECK(amd->nvidia_libraries.empty());
    for (const DeviceNode& node : amd->nodes)
        CHECK_FALSE(Catch::contains(node.path, "nvidia"));
    const auto nvidia = read_host_facts(*root, {.amd = false});
    REQUIRE(nvidia);
    CHECK_FALSE(nvidia->kfd_present);
    CHECK(nvidia->kfd_nodes.empty());
    CHECK(nvidia->drm_nodes.empty());
    CHECK(nvidia->nvidia_gpus.size() == 1);
    CHECK(nvidia->nvidia_libraries.size() == 9);
    CHECK(nvidia->char_majors.at("nvidia-uvm") == 508);
}
