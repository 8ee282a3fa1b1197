#include "sys/private_mounts.hpp"

#include "catch.hpp"
#include "sys/file.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::sys;

namespace {

bool may_mount() {
    if (test::in_child([] { return enter_private_mounts() ? "yes" : "no"; }) == "yes") return true;
    WARN("mounts are not permitted here: not tried");
    return false;
}

}  // namespace

TEST_CASE("mounts of a private namespace are seen by nobody else") {
    if (!may_mount()) return;
    test::TempFolder folder;
    folder.folder("memory");
    CHECK(test::in_child([&]() -> std::string {
              if (!enter_private_mounts()) return "no namespace";
              if (const auto made = mount_tmpfs(folder / "memory"); !made)
                  return made.error().text();
              folder.file("memory/file", "x");
              return folder.text("memory/file");
          }) == "x");
    CHECK_FALSE(folder.has("memory/file"));
}

TEST_CASE("an overlay takes what is written, whatever its paths are called") {
    if (!may_mount()) return;
    test::TempFolder folder;
    for (const std::string name : {"plain", "with:colon", "with,comma", "back\\slash", "a b"}) {
        CAPTURE(name);
        folder.file(name + "/rootfs/image", "image").folder(name + "/target").folder(name + "/memory");
        const std::string outcome = test::in_child([&]() -> std::string {
            // An overlay's upper folder must not be on an overlay itself.
            if (!enter_private_mounts() || !mount_tmpfs(folder / (name + "/memory")))
                return "no mounts";
            folder.folder(name + "/memory/up,p:er\\").folder(name + "/memory/work");
            if (const auto made = mount_overlay(
                    folder / (name + "/rootfs"), folder / (name + "/memory/up,p:er\\"),
                    folder / (name + "/memory/work"), folder / (name + "/target"));
                !made)
                return made.error().text();
            folder.file(name + "/target/image", "changed");
            const std::string seen = folder.text(name + "/target/image");
            unmount(folder / (name + "/target"));
            return seen + (folder.has(name + "/target/image") ? " still mounted" : " unmounted");
        });
        CHECK(outcome == "changed unmounted");
        CHECK(folder.text(name + "/rootfs/image") == "image");
    }
}
