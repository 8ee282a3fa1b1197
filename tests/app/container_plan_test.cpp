#include "app/container_plan.hpp"

#include "app/gpu_check.hpp"
#include "plan/steps.hpp"
#include "catch.hpp"
#include "spec_parts.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

std::string code_of(const std::string& config) {
    const auto container = read_container_request(config, Settings{});
    return container ? (container->request.any() ? "request" : "none")
                     : to_string(container.error().code);
}

std::string edited(const std::string& config, const std::string& host,
                   oci::RuntimeKind runtime = oci::RuntimeKind::Runc) {
    Settings settings;
    settings.host_root = std::string(GANTRY_FIXTURES) + "/hosts/" + host;
    auto container = read_container_request(config, settings);
    if (!container) return container.error().text();
    test::TempFolder rootfs;
    const auto plan = plan_container(settings, *container, rootfs.path(), runtime);
    if (!plan) return plan.error().text();
    const auto text = edit_container(*container, *plan);
    return text ? *text : text.error().text();
}

}  // namespace

TEST_CASE("what a config.json asks for, or what is wrong with it") {
    CHECK(code_of("{}") == "none");
    CHECK(code_of("") == "GTY-122");
    CHECK(code_of("{\"process\":") == "GTY-122");
    CHECK(code_of(std::string(300, '[') + std::string(300, ']')) == "GTY-121");
    test::SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=0"};
    CHECK(code_of(parts.json()) == "request");
    parts.env = {"AMD_VISIBLE_DEVICES=0 1"};
    CHECK(code_of(parts.json()) == "GTY-201");
}

TEST_CASE("the container's root folder") {
    const auto rootfs = [](const char* path) {
        return rootfs_of(test::spec_view(std::string(R"({"root":{"path":")") + path + "\"}}"),
                         "/run/bundle");
    };
    CHECK(rootfs("rootfs") == "/run/bundle/rootfs");
    CHECK(rootfs("./a//b/../c/") == "/run/bundle/a/c");
    CHECK(rootfs("/var/lib/x/merged") == "/var/lib/x/merged");
    CHECK(rootfs("") == "/run/bundle");
    CHECK(rootfs_of(test::spec_view("{}"), "/b") == "/b");
    test::TempFolder folder;
    folder.folder("b").folder("other/rootfs").link("b/link", "../other/rootfs");
    const auto behind_link = [&](oci::RuntimeKind runtime) {
        return rootfs_of(test::spec_view(R"({"root":{"path":"link/../rootfs"}})"), folder / "b",
                         runtime);
    };
    CHECK(behind_link(oci::RuntimeKind::Runc) == folder / "b/rootfs");
    CHECK(behind_link(oci::RuntimeKind::Crun) == folder / "other/rootfs");
}

TEST_CASE("from config.json to the edited one") {
    test::SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=0"};
    const std::string text = edited(parts.json(), "rx-6700-xt-raphael");
    const oci::SpecView view = test::spec_view(text);
    REQUIRE(view.devices.size() == 2);
    CHECK(view.devices[0].path == "/dev/kfd");
    CHECK(view.devices[1].path == "/dev/dri/renderD128");
    CHECK(view.device_rules.size() == 3);
    CHECK(view.additional_gids == std::vector<std::uint32_t>{109, 110});
    CHECK(view.env_value("HSA_OVERRIDE_GFX_VERSION") == "10.3.0");
    // Doing it once more to the result adds nothing.
    CHECK(edited(text, "rx-6700-xt-raphael") == text);
    CHECK(edited(parts.json(), "no-gpu").starts_with("GTY-203: "));
    CHECK(edited(parts.json(), "nowhere").starts_with("GTY-3"));

    parts.env = {"NVIDIA_VISIBLE_DEVICES=all", "AMD_VISIBLE_DEVICES=all"};
    const std::string both = edited(parts.json(), "mixed-amd-nvidia");
    CHECK(test::spec_view(both).mounts.size() > 10);
    CHECK(edited(both, "mixed-amd-nvidia") == both);

    parts.rules = "";
    CHECK(test::spec_view(edited(parts.json(), "mixed-amd-nvidia", oci::RuntimeKind::Crun))
              .device_rules.empty());
}

TEST_CASE("a container's own wish softens, never hardens, and only where it may") {
    Settings settings;
    request::Request request;
    request.probe_wish = "off";
    CHECK(effective_policy(settings, request) == ProbePolicy::Fail);
    settings.probe_by_container = true;
    CHECK(effective_policy(settings, request) == ProbePolicy::Off);
    settings.probe_policy = ProbePolicy::Warn;
    request.probe_wish = "fail";
    CHECK(effective_policy(settings, request) == ProbePolicy::Warn);
    request.probe_wish = "nonsense";
    CHECK(effective_policy(settings, request) == ProbePolicy::Warn);
    request.probe_override = "fail";
    CHECK(effective_policy(settings, request) == ProbePolicy::Fail);
}

TEST_CASE("a verdict refuses by its own switch, under the policy fail alone") {
    Settings settings;
    probe::Verdict verdict;
    verdict.outcome = probe::Outcome::Slow;
    CHECK_FALSE(refuses(settings, ProbePolicy::Fail, verdict));
    settings.verdicts.set(probe::Outcome::Slow, true);
    CHECK(refuses(settings, ProbePolicy::Fail, verdict));
    CHECK_FALSE(refuses(settings, ProbePolicy::Warn, verdict));
    verdict.outcome = probe::Outcome::WrongResult;
    CHECK(refuses(settings, ProbePolicy::Fail, verdict));
    settings.verdicts.set(probe::Outcome::WrongResult, false);
    CHECK_FALSE(refuses(settings, ProbePolicy::Fail, verdict));
}

TEST_CASE("an AMD GPU with other users' memory on it is marked, a free one is not") {
    test::TempFolder host;
    Settings settings;
    settings.host_root = host.path();
    inventory::Gpu gpu;
    gpu.name = "RX 6700 XT";
    gpu.pci_address = "0000:03:00.0";
    gpu.kfd_node = 1;
    const auto in_use = [&] {
        probe::Expectation expectation;
        expectation.amd.push_back({plan::title(gpu), gpu.pci_address});
        note_other_users(settings, {gpu}, expectation);
        return expectation.amd[0].in_use;
    };
    const auto vram = [&](std::uint64_t used, std::uint64_t total) {
        host.file("sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", std::to_string(used));
        host.file("sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total", std::to_string(total));
    };
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
    CHECK(in_use().empty());
    vram(10000 * kMiB, 12288 * kMiB);
    CHECK(in_use().empty());
    vram(10300 * kMiB, 12288 * kMiB);
    CHECK(in_use() == "1988 of 12288 MiB of its memory are free.");
    vram(200 * kMiB, 512 * kMiB);  // an integrated GPU's
    CHECK(in_use().empty());
    host.file("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "7");
    host.file("sys/class/kfd/kfd/proc/42/vram_7", "4096");
    CHECK(in_use().starts_with("1 process has memory on it"));
}

TEST_CASE("each further card gives the check five seconds more, its partitions none") {
    Settings settings;
    probe::Expectation expectation;
    using std::chrono::seconds;
    for (int i = 0; i < 3; ++i) expectation.amd.push_back({"x", "0000:03:00.0", 0});
    CHECK(time_limit(settings, expectation) == seconds{20});
    expectation.amd.push_back({"x", "0000:04:00.0", 0});
    expectation.nvidia.push_back({"x", "0000:05:00.0", 0});
    CHECK(time_limit(settings, expectation) == seconds{30});
    for (int i = 0; i < 64; ++i) expectation.nvidia.push_back({"x", std::to_string(i), 0});
    CHECK(time_limit(settings, expectation) == seconds{90});
}

TEST_CASE("the annotation goes before the configured policy") {
    Settings settings;
    request::Request request;
    CHECK(effective_policy(settings, request) == ProbePolicy::Fail);
    settings.probe_policy = ProbePolicy::Off;
    CHECK(effective_policy(settings, request) == ProbePolicy::Off);
    request.probe_override = "warn";
    CHECK(effective_policy(settings, request) == ProbePolicy::Warn);
    for (const char* odd : {"", "Warn", "warn\n", "yes"}) {
        request.probe_override = odd;
        const auto policy = effective_policy(settings, request);
        REQUIRE(!policy);
        CHECK(policy.error().text().starts_with("GTY-101: the annotation gantry.gpu/probe=\""));
    }
}
