#include <optional>

#include "base/text.hpp"
#include "catch.hpp"
#include "request/request.hpp"
#include "spec_parts.hpp"

using namespace gantry;
using namespace gantry::request;
using test::SpecParts;

namespace {

constexpr const char* kUuid = "GPU-5a8a4f8e-0c0d-4c3d-9b1e-2f6f0a1b2c3d";
constexpr const char* kUniqueId = "0x8b6f2c0d9e1a3f57";

Request extract(const oci::SpecView& spec, EnvironmentPolicy policy = EnvironmentPolicy::Auto) {
    auto request = extract_request(spec, {policy});
    if (!request) throw std::runtime_error(request.error().text());
    return std::move(*request);
}

// What was asked of one vendor, in one word: "-", "all", "none", "0,1",
// "devices", or the error.
std::string asked(const VendorRequest& request) {
    switch (request.source) {
        case Source::None: return "-";
        case Source::SpecDevices: return "devices";
        case Source::Environment: break;
    }
    if (request.all) return "all";
    if (request.none) return "none";
    return join(request.selectors, ",");
}

std::string asked(const std::string& variable, const std::string& value, SpecParts parts = {},
                  EnvironmentPolicy policy = EnvironmentPolicy::Auto) {
    parts.env.push_back(variable + "=" + value);
    const auto request = extract_request(parts.view(), {policy});
    if (!request) return request.error().text();
    return asked(variable.starts_with("AMD") ? request->amd : request->nvidia);
}

}  // namespace

TEST_CASE("the words and lists of the selection variables") {
    // Values that people really set; nullptr: an error whose text holds `error`.
    const struct {
        const char* value;
        const char* amd;
        const char* nvidia;
        const char* error = nullptr;
    } cases[] = {
        {"", "-", "-"},
        {"void", "-", "-"},
        {" ", "-", "-"},
        {"none", "-", "none"},
        {"all", "all", "all"},
        {"All", "all", "All"},  // NVIDIA: a name to be looked up, and not found
        {"ALL", "all", "ALL"},
        {"NONE", "NONE", "NONE"},
        {"Void", "Void", "Void"},
        {" all", "all", "all"},
        {"all\n", "all", "all"},
        {"\"all\"", nullptr, nullptr, "=\"\"all\"\" has quotes"},
        {"'0,1'", nullptr, nullptr, "=\"'0,1'\" has quotes"},
        {"0", "0", "0"},
        {"0,", "0", "0"},
        {",,0,,1", "0,1", "0,1"},
        {" 0 , 1 ", "0,1", "0,1"},
        {",", nullptr, nullptr, "=\",\" names no GPU"},
        {" , ", nullptr, nullptr, "names no GPU"},
        {"0,0", "0,0", "0,0"},
        {"-1", "-1", "-1"},
        {"0;1", "0;1", "0;1"},
        {"0x0", "0x0", "0x0"},
        {"0 1", nullptr, nullptr, "Separate GPUs by commas"},
        {"0\t1", nullptr, nullptr, "=\"0\\x091\" has a blank inside"},
        {"all,0", nullptr, nullptr, "mixes \"all\""},
        {"0,all", nullptr, nullptr, "mixes \"all\""},
        {"none,0", nullptr, nullptr, "mixes \"none\""},
        {"0,void", nullptr, nullptr, "mixes \"void\""},
        {"18446744073709551616", "18446744073709551616", "18446744073709551616"},
    };
    for (const auto& row : cases)
        for (const bool amd : {true, false}) {
            const std::string variable = amd ? "AMD_VISIBLE_DEVICES" : "NVIDIA_VISIBLE_DEVICES";
            const char* expected = amd ? row.amd : row.nvidia;
            const std::string found = asked(variable, row.value);
            CAPTURE(variable, row.value, found);
            if (expected) {
                CHECK(found == expected);
            } else {
                CHECK(found.starts_with("GTY-201: " + variable + "="));
                CHECK(found.find(row.error) != std::string::npos);
            }
        }
    CHECK_FALSE(extract(SpecParts{}.view()).any());
}

TEST_CASE("trimmed blanks are told of") {
    SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES= all"};
    const Request request = extract(parts.view());
    REQUIRE(request.notices.size() == 1);
    CHECK(request.notices[0] == "blanks around AMD_VISIBLE_DEVICES=\" all\" were ignored");
}

TEST_CASE("the last of several entries of one name counts, and only exact names do") {
    // The image says all, the engine appends the narrower value.
    SpecParts parts;
    parts.env = {"NVIDIA_VISIBLE_DEVICES=all",        "AMD_VISIBLE_DEVICES=all",
                 "NVIDIA_VISIBLE_DEVICES=1",          "AMD_VISIBLE_DEVICES=none",
                 "NVIDIA_VISIBLE_DEVICES_NOTE=0",     "X=a=b=c"};
    SECTION("plain") {}
    SECTION("with entries that are no variables") {
        for (const char* odd : {"NOVALUE", "=odd", "NVIDIA_VISIBLE_DEVICES",
                                "nvidia_visible_devices=0", "NVIDIA_VISIBLE_DEVICES =2", ""})
            parts.env.emplace_back(odd);
    }
    const Request request = extract(parts.view());
    CHECK(asked(request.nvidia) == "1");
    CHECK(asked(request.amd) == "-");
}

TEST_CASE("an empty last entry takes an earlier request back") {
    SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=all", "AMD_VISIBLE_DEVICES="};
    CHECK_FALSE(extract(parts.view()).any());
}

TEST_CASE("who may ask through the environment") {
    const SpecParts docker;
    SpecParts privileged;
    privileged.process = R"(,"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_ADMIN"]})";
    SpecParts legacy_privileged;
    legacy_privileged.process = R"(,"capabilities":["CAP_SYS_ADMIN"])";
    SpecParts effective_only;
    effective_only.process = R"(,"capabilities":{"effective":["CAP_SYS_ADMIN"]})";
    SpecParts containerd;
    containerd.annotations = R"("io.kubernetes.cri.container-type":"container")";
    SpecParts crio;
    crio.annotations = R"("io.kubernetes.cri-o.ContainerType":"container")";
    SpecParts privileged_pod = containerd;
    privileged_pod.process = privileged.process;

    using enum EnvironmentPolicy;
    const struct {
        const SpecParts& parts;
        EnvironmentPolicy policy;
        const char* value;
        bool followed;
    } cases[] = {
        {docker, Auto, "all", true},
        {docker, Allow, "all", true},
        {docker, Deny, "all", false},
        {docker, Deny, kUuid, false},
        {docker, Privileged, "all", false},
        {privileged, Privileged, "all", true},
        {legacy_privileged, Privileged, "0", true},
        {effective_only, Privileged, "0", false},
        {privileged, Deny, "all", false},
        {containerd, Auto, "all", false},
        {containerd, Auto, "0", false},
        {containerd, Auto, "none", false},
        {containerd, Auto, kUuid, true},
        {containerd, Auto, "gpu-5A8A4F8E-0C0D-4C3D-9B1E-2F6F0A1B2C3D", true},
        {containerd, Auto, "GPU-5a8a4f8e", false},
        {containerd, Auto, "0000:03:00.0", false},
        {containerd, Allow, "all", true},
        {privileged_pod, Auto, "all", true},
        {privileged_pod, Auto, "0", true},
        {privileged_pod, Deny, "all", false},
        {crio, Auto, "all", false},
        {crio, Auto, kUuid, true},
        {crio, Allow, "all", true},
        {crio, Deny, kUuid, false},
    };
    for (const auto& row : cases) {
        CAPTURE(row.parts.annotations, row.value, static_cast<int>(row.policy));
        SpecParts parts = row.parts;
        parts.env = {std::string("NVIDIA_VISIBLE_DEVICES=") + row.value};
        const Request request = extract(parts.view(), row.policy);
        CHECK(request.any() == row.followed);
        // A denied request leaves one line that says so, and why.
        REQUIRE(request.notices.size() == (row.followed ? 0 : 1));
        if (!row.followed)
            CHECK(request.notices[0].find("is not followed: ") != std::string::npos);
    }
    for (const auto& [value, followed] :
         {std::pair{kUniqueId, true}, {"GPU-8B6F2C0D9E1A3F57", true}, {"8b6f2c0d9e1a3f57", true},
          {"0x8b6f2c0d9e1a3f57,0", false}, {"0x1", false}, {"All", false}}) {
        CAPTURE(value);
        CHECK((asked("AMD_VISIBLE_DEVICES", value, containerd) != "-") == followed);
    }
    // What is denied is nobody's business: not even its form.
    CHECK(asked("AMD_VISIBLE_DEVICES", "all,0", containerd) == "-");
    CHECK(asked("AMD_VISIBLE_DEVICES", "\"all\"", docker, Deny) == "-");
    // No request: nothing to tell.
    SpecParts empty = containerd;
    empty.env = {"NVIDIA_VISIBLE_DEVICES=void", "AMD_VISIBLE_DEVICES="};
    CHECK(extract(empty.view()).notices.empty());
}

TEST_CASE("pods of a trusted namespace may ask for all, and are node tools") {
    const std::string containerd = R"("io.kubernetes.cri.container-type":"container")";
    const std::string crio = R"("io.kubernetes.cri-o.ContainerType":"container")";
    const auto in = [](const std::string& annotation, const std::string& name) {
        return ",\"" + annotation + R"(":")" + name + "\"";
    };
    const std::string cri_namespace = "io.kubernetes.cri.sandbox-namespace";
    const std::string pod_namespace = "io.kubernetes.pod.namespace";
    const struct {
        std::string annotations;
        bool trusted;
    } cases[] = {
        {containerd, false},
        {containerd + in(cri_namespace, "gpu-tools"), true},
        {containerd + in(cri_namespace, "kube-system"), true},
        {containerd + in(cri_namespace, "gpu-tools2"), false},
        {containerd + in(cri_namespace, ""), false},
        {crio + in(pod_namespace, "gpu-tools"), true},
        {crio + in(pod_namespace, "default"), false},
        // A pod's author can have annotations copied, but not the engine's own.
        {containerd + in(cri_namespace, "default") + in(pod_namespace, "gpu-tools"), false},
        {crio + in(pod_namespace, "default") + in(cri_namespace, "gpu-tools"), false},
        {crio + in("io.kubernetes.cri-o.Namespace", "gpu-tools"), false},
        {crio + "," + containerd + in(cri_namespace, "gpu-tools") + in(pod_namespace, "gpu-tools"),
         false},
        // Without the CRI there are no pods.
        {in(cri_namespace, "gpu-tools").substr(1), false},
    };
    SelectionPolicy policy;
    policy.trusted_namespaces = {"gpu-tools", "kube-system"};
    for (const auto& row : cases) {
        CAPTURE(row.annotations);
        SpecParts parts;
        parts.annotations = row.annotations;
        parts.env = {"AMD_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=0"};
        const auto request = extract_request(parts.view(), policy);
        REQUIRE(request);
        CHECK(request->trusted_node_tool == row.trusted);
        if (row.annotations.find("container") == std::string::npos) continue;
        const bool cri = row.annotations.find("ype\"") != std::string::npos;
        CHECK(asked(request->amd) == (row.trusted || !cri ? "all" : "-"));
        CHECK(asked(request->nvidia) == (row.trusted || !cri ? "0" : "-"));
    }
    SpecParts parts;
    parts.annotations = containerd + in(cri_namespace, "gpu-tools");
    parts.env = {"AMD_VISIBLE_DEVICES=all"};
    policy.environment = EnvironmentPolicy::Deny;
    CHECK(asked(extract_request(parts.view(), policy)->amd) == "-");
}

TEST_CASE("without injection a request is what others put into the spec") {
    SelectionPolicy policy;
    policy.inject = false;
    const auto extracted = [&](const SpecParts& parts) {
        const auto request = extract_request(parts.view(), policy);
        if (!request) throw std::runtime_error(request.error().text());
        CHECK_FALSE(request->inject);
        return asked(request->amd) + " " + asked(request->nvidia);
    };
    SpecParts parts;
    // CUDA images set the variable themselves; nobody acts on it here.
    parts.env = {"AMD_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=all"};
    CHECK(extracted(parts) == "- -");
    const auto hooks = [&](const std::string& path) {
        std::string text = parts.json();
        text.insert(1, R"("hooks":{"prestart":[{"path":")" + path + R"("}]},)");
        const auto request = extract_request(test::spec_view(text), policy);
        REQUIRE(request);
        return asked(request->amd) + " " + asked(request->nvidia);
    };
    CHECK(hooks("/usr/bin/nvidia-container-runtime-hook") == "- all");
    CHECK(hooks("nvidia-container-toolkit") == "- all");
    // This one makes links and the loader's cache; the devices are in the spec.
    CHECK(hooks("/usr/bin/nvidia-cdi-hook") == "- -");
    CHECK(hooks("/usr/bin/not-nvidia-container-runtime-hook") == "- -");
    // Who may ask the hook is for the hook to say.
    policy.environment = EnvironmentPolicy::Deny;
    CHECK(hooks("/usr/bin/nvidia-container-runtime-hook") == "- all");
    parts.devices = test::device("/dev/kfd", 236, 0) + "," +
                    test::device("/dev/nvidiactl", 195, 255) + "," +
                    test::device("/dev/nvidia0", 195, 0);
    parts.env = {"NVIDIA_VISIBLE_DEVICES=void"};
    CHECK(extracted(parts) == "devices devices");
}

TEST_CASE("a hostile value cannot forge lines of the log") {
    SpecParts parts;
    parts.env = {"AMD_VISIBLE_DEVICES=0\nlevel=error msg=\x1b[2J"};
    const Request denied = extract(parts.view(), EnvironmentPolicy::Deny);
    REQUIRE(denied.notices.size() == 1);
    CHECK(denied.notices[0].find('\n') == std::string::npos);
    CHECK(denied.notices[0].find('\x1b') == std::string::npos);
}

TEST_CASE("a pod's sandbox asks for nothing") {
    for (const char* annotation : {R"("io.kubernetes.cri.container-type":"sandbox")",
                                   R"("io.kubernetes.cri-o.ContainerType":"sandbox")"}) {
        SpecParts parts;
        parts.annotations = annotation;
        parts.env = {"AMD_VISIBLE_DEVICES=all", std::string("NVIDIA_VISIBLE_DEVICES=") + kUuid,
                     "NVIDIA_VISIBLE_DEVICES=\"odd\""};
        parts.devices = test::device("/dev/kfd", 236, 0);
        CHECK_FALSE(extract(parts.view(), EnvironmentPolicy::Allow).any());
    }
}

TEST_CASE("devices that the engine put into the spec are a request") {
    using test::device;
    const std::string kfd = device("/dev/kfd", 236, 0);
    const std::string render = device("/dev/dri/renderD128", 226, 128);
    const std::string ctl = device("/dev/nvidiactl", 195, 255);
    const std::string gpu0 = device("/dev/nvidia0", 195, 0);
    const struct {
        std::string devices;
        const char* amd;
        const char* nvidia;
    } cases[] = {
        {"", "-", "-"},
        {kfd, "devices", "-"},
        {kfd + "," + render, "devices", "-"},
        {device("/dev//kfd", 236, 0), "devices", "-"},
        {device("/dev/./kfd/", 236, 0), "devices", "-"},
        {render, "-", "-"},  // what media servers pass
        {device("/dev/kfd2", 236, 0), "-", "-"},
        {ctl, "-", "-"},
        {gpu0, "-", "-"},
        {ctl + "," + gpu0, "-", "devices"},
        {ctl + "," + device("/dev/nvidia-uvm", 510, 0), "-", "-"},
        {ctl + "," + device("/dev/nvidia12", 195, 12), "-", "devices"},
        {ctl + "," + device("/dev/nvidia0x", 195, 0), "-", "-"},
        {kfd + "," + ctl + "," + gpu0 + "," + render, "devices", "devices"},
    };
    for (const auto& row : cases) {
        CAPTURE(row.devices);
        SpecParts parts;
        parts.devices = row.devices;
        const Request request = extract(parts.view(), EnvironmentPolicy::Deny);
        CHECK(asked(request.amd) == row.amd);
        CHECK(asked(request.nvidia) == row.nvidia);
    }
    SpecParts parts;
    parts.devices = kfd + "," + ctl + "," + gpu0 + "," + render;
    const Request request = extract(parts.view());
    CHECK(request.amd.devices.size() == 2);
    CHECK(request.nvidia.devices.size() == 2);
    // The list of a privileged container is nobody's wish …
    parts.rules = test::kAllowAll;
    CHECK_FALSE(extract(parts.view()).any());
    // … but its environment is.
    parts.env = {"AMD_VISIBLE_DEVICES=0"};
    CHECK(asked(extract(parts.view()).amd) == "0");
}

TEST_CASE("a bind mount of a node at its own path is a request in a user namespace alone") {
    const auto bind = [](const std::string& source, const std::string& destination) {
        return R"(,{"destination":")" + destination + R"(","type":"bind","source":")" + source +
               R"(","options":["rbind","rw"]})";
    };
    test::SpecParts parts;
    parts.mounts = bind("/dev/kfd", "/dev/kfd") + bind("/dev/dri/renderD128", "/dev/dri/renderD128");
    CHECK_FALSE(extract(parts.view()).any());
    SelectionPolicy rootless;
    rootless.rootless_engine = true;
    CHECK(extract_request(parts.view(), rootless)->amd.source == Source::SpecDevices);
    parts.linux_more = R"(,"namespaces":[{"type":"user"}])";
    const Request request = extract(parts.view());
    CHECK(request.amd.source == Source::SpecDevices);
    REQUIRE(request.amd.devices.size() == 2);
    CHECK(request.amd.devices[1].path == "/dev/dri/renderD128");
    CHECK(request.amd.devices[1].type == kBoundDevice);
    parts.mounts = bind("/dev/null", "/dev/kfd") + bind("/dev/dri/renderD128", "/dev/dri/renderD128");
    CHECK_FALSE(extract(parts.view()).any());
    parts.mounts = bind("/dev/nvidiactl", "/dev/nvidiactl") + bind("/dev/nvidia0", "/dev/nvidia0");
    CHECK(extract(parts.view()).nvidia.source == Source::SpecDevices);
}

TEST_CASE("the environment goes before the devices, a denied one does not") {
    SpecParts parts;
    parts.devices = test::device("/dev/kfd", 236, 0);
    parts.env = {"AMD_VISIBLE_DEVICES=1"};
    CHECK(asked(extract(parts.view()).amd) == "1");
    CHECK(asked(extract(parts.view(), EnvironmentPolicy::Deny).amd) == "devices");
    // A CDI spec injects the devices and sets the variable to void.
    parts.devices += "," + test::device("/dev/nvidiactl", 195, 255) + "," +
                     test::device("/dev/nvidia0", 195, 0);
    parts.env = {"AMD_VISIBLE_DEVICES=none", "NVIDIA_VISIBLE_DEVICES=void"};
    CHECK(asked(extract(parts.view()).amd) == "devices");
    CHECK(asked(extract(parts.view()).nvidia) == "devices");
}

TEST_CASE("the annotation for the check is handed on as written") {
    SpecParts parts;
    CHECK_FALSE(extract(parts.view()).probe_override);
    parts.annotations = R"("gantry.gpu/probe":"warn ")";
    CHECK(extract(parts.view()).probe_override == "warn ");
}

TEST_CASE("specs without the usual sections are no request and no crash") {
    for (const char* json :
         {"{}", R"({"process":null})", R"({"process":{"env":null}})", R"({"process":{"env":{}}})",
          R"({"linux":null,"annotations":null,"hooks":null})", R"({"linux":{"devices":[null,1]}})",
          R"({"process":{"env":[null,1,["AMD_VISIBLE_DEVICES=all"]]}})"}) {
        CAPTURE(json);
        CHECK_FALSE(extract(test::spec_view(json)).any());
    }
}
