// Where ROCm's runtime is looked for in an image: a root with nothing in it but the
// C library and, in one folder, the fake runtime.
#include <unistd.h>

#include <filesystem>

#include "../../temp_folder.hpp"
#include "amd_check.hpp"
#include "catch.hpp"
#include "program/must_work.hpp"

using namespace gantry::probe;
namespace fs = std::filesystem;

namespace {

bool no_root() { return not_here(::geteuid() == 0, "chroot needs root"); }

class Image {
public:
    Image() {
        put("/lib64/ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2");
        for (const char* soname : {"libc.so.6", "libdl.so.2", "libpthread.so.0"})
            put(installed(soname), std::string("/lib64/") + soname);
    }
    void put(const std::string& from, const std::string& to) const {
        fs::create_directories(fs::path(folder_.path() + to).parent_path());
        fs::copy_file(from, folder_.path() + to);
    }
    void put_runtime(const std::string& to) const {
        put(GANTRY_FAKES "/libhsa-runtime64.so.1", to);
    }
    [[nodiscard]] LibraryReport check(const std::string& variable = "A=b") const {
        ProbeRun run;
        run.amd = 1;
        run.root = folder_.path();
        run.environment = {"LD_LIBRARY_PATH=/lib64", "GANTRY_FAKE_GPU=count=1", variable};
        const ProbeResult result = run_probe(run);
        UNSCOPED_INFO(result.report);
        const auto report = parse_report(result.report);
        REQUIRE(report);
        REQUIRE(report->ended);
        return report->amd;
    }
    [[nodiscard]] const gantry::test::TempFolder& folder() const { return folder_; }

private:
    gantry::test::TempFolder folder_;
};

}  // namespace

TEST_CASE("the runtime is found where the loader does not know of it") {
    if (no_root()) return;
    struct Row {
        const char* path;
        const char* variable;
    };
    const Row row = GENERATE(
        Row{"/opt/rocm/lib/libhsa-runtime64.so.1", "A=b"},
        Row{"/opt/rocm-7.1.0/lib/libhsa-runtime64.so.1", "A=b"},
        Row{"/usr/lib/ollama/rocm/libhsa-runtime64.so.1", "A=b"},
        Row{"/usr/local/lib/python3.12/site-packages/torch/lib/libhsa-runtime64.so", "A=b"},
        Row{"/usr/lib/python3/dist-packages/torch/lib/libhsa-runtime64.so", "A=b"},
        Row{"/opt/venv/lib/python3.10/site-packages/_rocm_sdk_core/lib/libhsa-runtime64.so.1",
            "A=b"},
        Row{"/opt/conda/lib/python3.11/site-packages/torch/lib/libhsa-runtime64.so", "A=b"},
        Row{"/app/env/lib/python3.13/site-packages/torch/lib/libhsa-runtime64.so",
            "VIRTUAL_ENV=/app/env"},
        Row{"/c/lib/python3.9/site-packages/_rocm_sdk_core/lib/libhsa-runtime64.so.1",
            "CONDA_PREFIX=/c"});
    Image image;
    image.put_runtime(row.path);
    const LibraryReport found = image.check(row.variable);
    CHECK(found.path == row.path);
    CHECK(found.devices == 1U);
}

TEST_CASE("the loader's choice comes first, the newest ROCm next") {
    if (no_root()) return;
    Image image;
    image.put_runtime("/opt/rocm-6.3.2/lib/libhsa-runtime64.so.1");
    image.put_runtime("/opt/rocm-6.4.0/lib/libhsa-runtime64.so.1");
    CHECK(image.check().path == "/opt/rocm-6.4.0/lib/libhsa-runtime64.so.1");
    image.put_runtime("/lib64/libhsa-runtime64.so.1");
    CHECK(image.check().path == "/lib64/libhsa-runtime64.so.1");
}

TEST_CASE("why a runtime that is there cannot be loaded is what is told") {
    if (no_root()) return;
    Image image;
    CHECK(image.check().missing.find("libhsa-runtime64.so.1") != std::string::npos);
    image.folder().file("opt/rocm/lib/libhsa-runtime64.so.1", std::string(4096, 'x'));
    CHECK(image.check().missing.find("invalid ELF header") != std::string::npos);
}
