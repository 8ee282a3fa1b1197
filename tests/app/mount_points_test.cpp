#include "app/mount_points.hpp"

#include <unistd.h>

#include <fstream>

#include "app/container_state.hpp"
#include "app/create_claim.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

struct Container {
    test::TempFolder folder;
    Record record;

    Container() {
        folder.folder("rootfs/usr/lib").folder("state").folder("root");
        record.root = folder / "root";
        record.id = "c1";
        record.runtime = {"/usr/sbin/runc", oci::RuntimeKind::Runc};
        record.bundle = "/b";
        record.rootfs = folder / "rootfs";
        oci::ContainerEdits edits;
        for (const char* path : {"/usr/lib/libcuda.so.1", "/usr/bin/nvidia-smi"})
            edits.mounts.push_back({"/host", path, {}, {}});
        record.mount_points = missing_mount_points(record.rootfs, edits);
        // As a low-level runtime makes them.
        folder.folder("rootfs/usr/bin").file("rootfs/usr/bin/nvidia-smi");
        folder.file("rootfs/usr/lib/libcuda.so.1");
    }
    [[nodiscard]] bool has(const std::string& path) const {
        return ::access((folder / ("rootfs" + path)).c_str(), F_OK) == 0;
    }
    // A state file of runc's whose process is this one: it runs.
    void run(const std::string& id) {
        folder.file("root/" + id + "/state.json",
                    R"({"init_process_pid":)" + std::to_string(::getpid()) + "}");
    }
    void remove() { remove_mount_points(folder / "state", record); }
};

}  // namespace

TEST_CASE("only what was not there before is noted") {
    const Container container;
    CHECK(container.record.mount_points ==
          std::vector<std::string>{"/usr/bin", "/usr/bin/nvidia-smi", "/usr/lib/libcuda.so.1"});
    CHECK(missing_mount_points(container.folder / "nowhere", {}).empty());
}

TEST_CASE("empty mount points go, what holds something and what was there stays") {
    Container container;
    SECTION("all empty") {
        container.remove();
        CHECK_FALSE(container.has("/usr/bin"));
        CHECK_FALSE(container.has("/usr/lib/libcuda.so.1"));
        CHECK(container.has("/usr/lib"));
    }
    SECTION("the container has put something there") {
        container.folder.file("rootfs/usr/bin/tool", "x");
        container.folder.file("rootfs/usr/lib/libcuda.so.1", "own");
        container.remove();
        CHECK(container.has("/usr/bin/tool"));
        CHECK(container.has("/usr/lib/libcuda.so.1"));
        CHECK_FALSE(container.has("/usr/bin/nvidia-smi"));
    }
    SECTION("a link in their way leads nowhere") {
        const test::TempFolder outside;
        outside.file("nvidia-smi");
        ::unlink((container.folder / "rootfs/usr/bin/nvidia-smi").c_str());
        ::rmdir((container.folder / "rootfs/usr/bin").c_str());
        container.folder.link("rootfs/usr/bin", outside.path());
        container.remove();
        CHECK(::access((outside / "nvidia-smi").c_str(), F_OK) == 0);
    }
}

TEST_CASE("not while the container runs, nor while another runs on the same rootfs") {
    Container container;
    SECTION("itself") {
        container.run("c1");
        container.remove();
        CHECK(container.has("/usr/bin/nvidia-smi"));
    }
    Record other = container.record;
    other.id = "c2";
    SECTION("another") {
        REQUIRE(write_record(container.folder / "state", other));
        container.run("c2");
        container.remove();
        CHECK(container.has("/usr/bin/nvidia-smi"));
    }
    SECTION("another that has ended") {
        REQUIRE(write_record(container.folder / "state", other));
        container.remove();
        CHECK_FALSE(container.has("/usr/bin/nvidia-smi"));
    }
    SECTION("another on its own rootfs") {
        other.rootfs = "/elsewhere";
        REQUIRE(write_record(container.folder / "state", other));
        container.run("c2");
        container.remove();
        CHECK_FALSE(container.has("/usr/bin/nvidia-smi"));
    }
}

TEST_CASE("the record keeps them") {
    Container container;
    REQUIRE(claim_record(container.folder / "state", container.record, {}));
    const auto found = find_record(container.folder / "state", {container.record.root}, "c1");
    REQUIRE(found);
    CHECK(found->mount_points == container.record.mount_points);
    CHECK(found->rootfs == container.record.rootfs);
}
