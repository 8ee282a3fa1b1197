#include "app/create_container.hpp"

#include <sys/stat.h>

#include "app/record.hpp"
#include "catch.hpp"
#include "in_child.hpp"
#include "spec_parts.hpp"
#include "sys/private_mounts.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

// A create on a simulated host with the check off, in a process that has a
// /run of its own: "ok" or the error's text.
class Creator {
public:
    Creator() {
        loaded_.settings.host_root = std::string(GANTRY_FIXTURES) + "/hosts/rx-6700-xt-raphael";
        loaded_.settings.probe_policy = ProbePolicy::Off;
        loaded_.settings.log_file = folder_ / "log";
        loaded_.settings.log_to_system = false;
        arguments_.verb = "create";
        arguments_.id = "web1";
        arguments_.bundle = folder_ / "bundle";
        arguments_.root = folder_ / "root";
        folder_.folder("bundle/rootfs");
    }

    // False where no /run of its own can be had; said once.
    static bool possible() {
        static const bool yes = test::in_child([] {
                                    return sys::enter_private_mounts() && sys::mount_tmpfs("/run")
                                               ? "yes"
                                               : "no";
                                }) == "yes";
        if (!yes) WARN("mounts are not permitted here: create is not tried");
        return yes;
    }

    std::string create(const std::string& config) {
        folder_.file("bundle/config.json", config);
        return create();
    }
    std::string create() {
        return test::in_child([&]() -> std::string {
            if (!sys::enter_private_mounts() || !sys::mount_tmpfs("/run")) return "no mounts";
            Story story;
            const Status created = prepare_create({loaded_, arguments_, runtime_, {}}, story);
            std::string text = created ? "ok" : created.error().text();
            if (const auto record = find_record("/run/gantry", {folder_ / "root"}, "web1"))
                text += " record " + record->runtime.path + " " + record->verdict + " " +
                        std::to_string(record->gpus.size());
            return text;
        });
    }

    LoadedSettings loaded_;
    oci::RuntimeArgv arguments_;
    LowLevelRuntime runtime_{"/usr/sbin/runc", oci::RuntimeKind::Runc};
    test::TempFolder folder_;
};

std::string asking(const std::string& entry = "AMD_VISIBLE_DEVICES=0") {
    test::SpecParts parts;
    parts.env = {entry};
    return parts.json();
}

}  // namespace

TEST_CASE("a create with a request edits config.json and leaves a record") {
    if (!Creator::possible()) return;
    Creator creator;
    CHECK(creator.create(asking()) == "ok record /usr/sbin/runc NOT_CHECKED 1");
    const std::string first = creator.folder_.text("bundle/config.json");
    CHECK(test::spec_view(first).devices.size() == 2);
    // Again on the same bundle: the same result.
    CHECK(creator.create() == "ok record /usr/sbin/runc NOT_CHECKED 1");
    CHECK(creator.folder_.text("bundle/config.json") == first);
    CHECK(creator.folder_.text("log").find("NOT_CHECKED: AMD GPU 0 (RX 6700 XT)") !=
          std::string::npos);
}

TEST_CASE("a create tells its story, and that of a refused one ends where it was refused") {
    if (!Creator::possible()) return;
    Creator creator;
    test::SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=0"};
    parts.annotations = R"("io.kubernetes.cri.sandbox-name":"web","io.kubernetes.cri.sandbox-namespace":"shop")";
    const auto told = [&](const std::string& config) {
        creator.folder_.file("bundle/config.json", config);
        return test::in_child([&]() -> std::string {
            if (!sys::enter_private_mounts() || !sys::mount_tmpfs("/run")) return "no mounts";
            Story story;
            (void)prepare_create({creator.loaded_, creator.arguments_, creator.runtime_, {}}, story);
            const auto live = find_record("/run/gantry", {creator.folder_ / "root"}, "web1");
            return story.pod + "|" + story.gpu_text() + "|" + story.steps.back().name + "|" +
                   story.verdict + "|" + std::to_string(!story.reasons.empty()) + "|" +
                   std::to_string(story.time == (live ? live->time : 0));
        });
    };
    CHECK(told(parts.json()) == "shop/web|AMD GPU 0 (RX 6700 XT)|write|NOT_CHECKED|1|1");
    CHECK(creator.folder_.text("log").find("web1 pod shop/web: NOT_CHECKED: AMD GPU 0") !=
          std::string::npos);
    parts.env = {"AMD_VISIBLE_DEVICES=7"};
    CHECK(told(parts.json()) == "shop/web||plan||0|0");
    parts.env = {"AMD_VISIBLE_DEVICES=0 1"};
    CHECK(told(parts.json()).find("|request|") != std::string::npos);
}

TEST_CASE("containers that ask for no GPU are not touched, whatever they are like") {
    if (!Creator::possible()) return;
    test::SpecParts sandbox;
    sandbox.env = {"AMD_VISIBLE_DEVICES=all"};
    sandbox.annotations = R"("io.kubernetes.cri.container-type":"sandbox")";
    for (const std::string& config :
         {std::string("{}"), std::string("{ \"process\" : null }\n"), std::string(""),
          std::string("{\"process\":"), std::string("\xff\xfe"), asking("A=1"),
          asking("NVIDIA_VISIBLE_DEVICES=void"), sandbox.json()}) {
        CAPTURE(config);
        Creator creator;
        CHECK(creator.create(config) == "ok");
        CHECK(creator.folder_.text("bundle/config.json") == config);
        // Nor does a broken configuration stop them.
        creator.loaded_.error = Error{Code::ConfigInvalid, "broken", "Mend it"};
        CHECK(creator.create() == "ok");
        CHECK(creator.folder_.text("bundle/config.json") == config);
        CHECK(creator.folder_.text("log").find("GTY-101: broken") != std::string::npos);
    }
}

TEST_CASE("a bundle without a readable config.json is the low-level runtime's to refuse") {
    if (!Creator::possible()) return;
    Creator creator;
    CHECK(creator.create() == "ok");
    creator.folder_.folder("bundle/config.json");
    CHECK(creator.create() == "ok");
    creator.arguments_.bundle = creator.folder_ / "nowhere";
    CHECK(creator.create() == "ok");
}

TEST_CASE("an id that is in use is refused before anything of its owner is touched") {
    if (!Creator::possible()) return;
    Creator creator;
    creator.folder_.folder("root/web1");
    const std::string config = R"({"process":{"env":["AMD_VISIBLE_DEVICES=0"]}})";
    const std::string answer = creator.create(config);
    CHECK(answer.starts_with("GTY-112: a container with the id web1 exists already"));
    CHECK(answer.find("record") == std::string::npos);
    CHECK(creator.folder_.text("bundle/config.json") == config);
}

TEST_CASE("what is refused changes nothing") {
    if (!Creator::possible()) return;
    test::SpecParts annotated;
    annotated.env = {"AMD_VISIBLE_DEVICES=0"};
    annotated.annotations = R"("gantry.gpu/probe":"maybe")";
    test::SpecParts odd_linux;
    odd_linux.env = {"AMD_VISIBLE_DEVICES=0"};
    odd_linux.linux_more = R"(,"devices":{})";
    const std::pair<std::string, const char*> cases[] = {
        {asking("AMD_VISIBLE_DEVICES=7"), "GTY-202: "},
        {asking("AMD_VISIBLE_DEVICES=0 1"), "GTY-201: "},
        {asking("NVIDIA_VISIBLE_DEVICES=all"), "GTY-203: "},
        {asking(std::string("HSA_OVERRIDE_GFX_VERSION=x\",\"AMD_VISIBLE_DEVICES=0")), "ok"},
        {annotated.json(), "GTY-101: the annotation"},
        {odd_linux.json(), "GTY-122: linux.devices in config.json is no list"},
        {std::string(300, '[') + std::string(300, ']'), "GTY-121: "},
        {std::string((16U << 20) + 1, ' '), "GTY-120: "},
    };
    for (const auto& [config, error] : cases) {
        CAPTURE(config.substr(0, 400), error);
        Creator creator;
        const std::string outcome = creator.create(config);
        CHECK(outcome.starts_with(error));
        CHECK(outcome.find("record") == std::string::npos);
        CHECK(creator.folder_.text("bundle/config.json") == config);
        CHECK(creator.folder_.snapshot().size() <= 4);
    }
    // With a broken configuration nobody knows who may ask.
    Creator creator;
    creator.loaded_.error = Error{Code::ConfigInvalid, "broken", "Mend it"};
    for (const char* entry : {"AMD_VISIBLE_DEVICES=0", "AMD_VISIBLE_DEVICES=0 1"})
        CHECK(creator.create(asking(entry)) == "GTY-101: broken. Mend it");
}

TEST_CASE("a command line that the low-level runtime will refuse is handed over") {
    if (!Creator::possible()) return;
    Creator creator;
    creator.arguments_.usage_error = true;
    CHECK(creator.create(asking()) == "ok");
    CHECK(creator.folder_.text("bundle/config.json") == asking());
    creator.arguments_.usage_error = false;
    creator.arguments_.id.clear();
    CHECK(creator.create(asking()) == "ok");
    CHECK(creator.folder_.text("bundle/config.json") == asking());
}

TEST_CASE("a container that no longer asks gets its original back") {
    if (!Creator::possible()) return;
    Creator creator;
    CHECK(creator.create(asking()).starts_with("ok record"));
    REQUIRE(creator.folder_.text("bundle/config.json") != asking());
    creator.loaded_.settings.environment = request::EnvironmentPolicy::Deny;
    CHECK(creator.create() == "ok");
    CHECK(creator.folder_.text("bundle/config.json") == asking());
    CHECK(creator.folder_.text("log").find("is not followed: selection.environment is \"deny\"") !=
          std::string::npos);
}

TEST_CASE("a state folder that is full or missing stops only containers with a request") {
    if (!Creator::possible()) return;
    Creator creator;
    const auto without_run = [&] {
        return test::in_child([&]() -> std::string {
            if (!sys::enter_private_mounts() || !sys::mount_tmpfs("/run")) return "no mounts";
            std::ofstream("/run/gantry") << "in the way";
            Story story;
            const Status created =
                prepare_create({creator.loaded_, creator.arguments_, creator.runtime_, {}}, story);
            return created ? "ok" : created.error().text();
        });
    };
    creator.folder_.file("bundle/config.json", asking());
    CHECK(without_run().starts_with("GTY-131: "));
    CHECK(creator.folder_.text("bundle/config.json") == asking());
    creator.folder_.file("bundle/config.json", "{}");
    CHECK(without_run() == "ok");
}
