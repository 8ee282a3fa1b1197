#include "app/image_facts.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

#if defined(__aarch64__)
const std::string kMultiarch = "usr/lib/aarch64-linux-gnu";
#else
const std::string kMultiarch = "usr/lib/x86_64-linux-gnu";
#endif

request::Request asking(bool amd, bool nvidia) {
    request::Request request;
    if (amd) request.amd.source = request::Source::Environment;
    if (nvidia) request.nvidia.source = request::Source::SpecDevices;
    return request;
}

const std::string kFormat = "HSA_OVERRIDE_GFX_VERSION_%d";

}  // namespace

TEST_CASE("NVIDIA's libraries go where the image's loader looks") {
    const struct {
        std::vector<std::string> folders;
        std::pair<std::string, std::string> link;
        std::string expected;
    } cases[] = {
        {{kMultiarch, "usr/lib64"}, {}, "/" + kMultiarch},       // Debian, Ubuntu
        {{"usr/lib64", "usr/lib"}, {}, "/usr/lib64"},             // Fedora, SUSE
        {{"usr/lib"}, {"usr/lib64", "lib"}, "/usr/lib64"},        // Arch
        {{"usr/lib"}, {}, "/usr/lib"},                            // musl
        {{"usr/lib"}, {"usr/lib64", "/nowhere"}, "/usr/lib"},
        {{}, {"usr/lib64", "/etc"}, "/usr/lib64"},                // the host's /etc is not asked
        {{}, {}, "/usr/lib64"},                                   // nothing in it at all
    };
    for (const auto& row : cases) {
        test::TempFolder rootfs;
        for (const std::string& folder : row.folders) rootfs.folder(folder);
        if (!row.link.first.empty()) rootfs.link(row.link.first, row.link.second);
        CHECK(read_image_facts(rootfs.path(), asking(false, true)).library_folder == row.expected);
    }
    // Links that lead out of the image lead nowhere.
    test::TempFolder rootfs;
    rootfs.folder("usr").link("usr/lib64", "/usr/lib").folder("usr/lib");
    CHECK(read_image_facts(rootfs.path(), asking(false, true)).library_folder == "/usr/lib64");
    rootfs.link(kMultiarch, "/usr/share");
    CHECK(read_image_facts(rootfs.path(), asking(false, true)).library_folder == "/usr/lib64");
}

TEST_CASE("whether the image's ROCm reads the per-node variable") {
    const auto reads = [](const test::TempFolder& rootfs) {
        return read_image_facts(rootfs.path(), asking(true, false)).per_node_override;
    };
    const struct {
        const char* path;
        std::string content;
        bool expected;
    } cases[] = {
        {"opt/rocm/lib/libhsa-runtime64.so.1", "x" + kFormat + "y", true},
        {"opt/rocm/lib/libhsakmt.so.1", kFormat, true},
        {"usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1", kFormat, true},
        {"usr/lib64/libhsa-runtime64.so.1", kFormat, true},
        {"opt/rocm/lib/libhsa-runtime64.so.1", "HSA_OVERRIDE_GFX_VERSION", false},
        {"opt/rocm/lib/libhsa-runtime64.so.1", "HSA_OVERRIDE_GFX_VERSION_%u", false},
        {"opt/rocm/lib/libhsa-runtime64.so.1", "", false},
        {"opt/other/libhsa-runtime64.so.1", kFormat, false},
        // Across the borders of the pieces that are read.
        {"opt/rocm/lib/libhsa-runtime64.so.1",
         std::string((1U << 20) - 10, 'x') + kFormat + std::string(1U << 20, 'y'), true},
        {"opt/rocm/lib/libhsa-runtime64.so.1", std::string((2U << 20) - 1, 'x') + kFormat, true},
        {"opt/rocm/lib/libhsa-runtime64.so.1", std::string(3U << 20, 'x'), false},
    };
    for (const auto& row : cases) {
        CAPTURE(row.path, row.content.size());
        test::TempFolder rootfs;
        rootfs.file(row.path, row.content);
        CHECK(reads(rootfs) == row.expected);
        CHECK_FALSE(read_image_facts(rootfs.path(), asking(false, true)).per_node_override);
    }
    // The usual links, of which an absolute one starts at the image's root.
    test::TempFolder rootfs;
    rootfs.file("opt/rocm-6.4.1/lib/libhsa-runtime64.so.1.15.60401", kFormat)
        .link("opt/rocm-6.4.1/lib/libhsa-runtime64.so.1", "libhsa-runtime64.so.1.15.60401")
        .link("etc/alternatives/rocm", "/opt/rocm-6.4.1")
        .link("opt/rocm", "/etc/alternatives/rocm");
    CHECK(reads(rootfs));

    test::TempFolder outside;
    outside.file("libhsa-runtime64.so.1", kFormat);
    test::TempFolder leading_out;
    leading_out.link("opt/rocm/lib", outside.path());
    CHECK_FALSE(reads(leading_out));
    CHECK_FALSE(read_image_facts("/nowhere", asking(true, true)).per_node_override);
    CHECK(read_image_facts("/nowhere", asking(true, true)).library_folder == "/usr/lib64");
}
