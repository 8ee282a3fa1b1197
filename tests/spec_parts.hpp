// A config.json of a few parts, declared in the test that needs it; what is
// not given is as Docker writes it for an unprivileged container.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "oci-spec/json_document.hpp"
#include "oci-spec/spec_view.hpp"

namespace gantry::test {

inline constexpr const char* kDenyAll = R"({"allow":false,"access":"rwm"})";

struct SpecParts {
    std::vector<std::string> env;
    std::string user = R"("uid":1000,"gid":1000)";
    std::string process = {};      // more members, each after a comma
    std::string annotations = {};  // members
    std::string mounts = {};       // more elements, each after a comma
    std::string devices = {};      // elements; empty: no such member
    std::string rules = kDenyAll;  // elements; empty: no such member
    std::string linux_more = {};   // more members, each after a comma

    [[nodiscard]] std::string json() const {
        std::string variables = R"("PATH=/usr/bin:/bin")";
        for (const std::string& entry : env) variables += "," + oci::json_quote(entry);
        std::string text = R"({"ociVersion":"1.0.2","process":{"user":{)" + user +
                           R"(},"args":["true"],"env":[)" + variables + R"(],"cwd":"/")" + process +
                           R"(},"root":{"path":"rootfs"},"mounts":[)"
                           R"({"destination":"/proc","type":"proc","source":"proc"},)"
                           R"({"destination":"/dev","type":"tmpfs","source":"tmpfs"})" +
                           mounts + "]";
        if (!annotations.empty()) text += R"(,"annotations":{)" + annotations + "}";
        text += R"(,"linux":{"resources":{)" +
                (rules.empty() ? "" : "\"devices\":[" + rules + "]") + "}" +
                (devices.empty() ? "" : ",\"devices\":[" + devices + "]") + linux_more + "}}";
        return text;
    }
    [[nodiscard]] oci::SpecView view() const;
};

inline oci::JsonDocument parse_json(const std::string& text) {
    auto document = oci::JsonDocument::parse(text);
    if (!document) throw std::runtime_error(document.error().text() + " in " + text);
    return std::move(*document);
}

inline oci::SpecView spec_view(const std::string& json) {
    return oci::extract_spec_view(parse_json(json));
}

inline oci::SpecView SpecParts::view() const { return spec_view(json()); }

// Element of linux.devices; owner 0:0 and mode 0666 as the runtimes' defaults.
inline std::string device(const std::string& path, unsigned major, unsigned minor,
                          const std::string& more = {}) {
    return R"({"path":")" + path + R"(","type":"c","major":)" + std::to_string(major) +
           ",\"minor\":" + std::to_string(minor) + more + "}";
}

inline std::string allow(unsigned major, unsigned minor, const std::string& access = "rwm") {
    return R"({"allow":true,"type":"c","major":)" + std::to_string(major) +
           ",\"minor\":" + std::to_string(minor) + R"(,"access":")" + access + "\"}";
}

// As `docker run --privileged` and containerd write it.
inline constexpr const char* kAllowAll = R"({"allow":true,"access":"rwm"})";

}  // namespace gantry::test
