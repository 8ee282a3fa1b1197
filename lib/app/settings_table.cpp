// Every key that there is.
#include <algorithm>

#include "app/settings_key.hpp"

namespace gantry::app {
namespace {

using request::EnvironmentPolicy;

// A GPU below this cannot be told from a processor by its speed alone.
constexpr std::int64_t kMinGflopsFloor = 100, kMostGflops = 1'000'000;
constexpr std::int64_t kMaxTimeoutSeconds = 90;  // kubelet gives a create 120 s

constexpr Word<EnvironmentPolicy> kEnvironmentWords[] = {
    {"auto", EnvironmentPolicy::Auto},
    {"allow", EnvironmentPolicy::Allow},
    {"privileged", EnvironmentPolicy::Privileged},
    {"deny", EnvironmentPolicy::Deny}};
constexpr Word<ProbePolicy> kPolicyWords[] = {
    {"fail", ProbePolicy::Fail}, {"warn", ProbePolicy::Warn}, {"off", ProbePolicy::Off}};
constexpr Word<ProbeLevel> kLevelWords[] = {{"access", ProbeLevel::Access},
                                            {"compute", ProbeLevel::Compute}};
constexpr Word<std::string_view> kLogWords[] = {
    {"debug", "debug"}, {"info", "info"}, {"warn", "warn"}, {"error", "error"}};

bool is_absolute(std::string_view text) { return text.starts_with('/'); }
constexpr const char* kAbsolutePaths = "a list of absolute paths";

// RFC 1123 label, as Kubernetes has it for the names of namespaces.
bool is_namespace(std::string_view text) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !text.empty() && text.size() <= 63 && plain(text.front()) && plain(text.back()) &&
           std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-'; });
}
constexpr const char* kNamespaces = "a list of names of Kubernetes namespaces";

template <bool plan::WarningSwitches::* Member>
std::string warning(Settings& settings, const toml::node& node) {
    const auto value = node.value_exact<bool>();
    if (!value) return "true or false";
    settings.warnings.*Member = *value;
    return {};
}

constexpr Word<bool> kAmdRuntimeWords[] = {{"hsa", false}, {"hip", true}};

// "auto": by what is known of the GPU.
std::string min_gflops(Settings& settings, const toml::node& node) {
    const auto number = node.value_exact<std::int64_t>();
    const bool automatic = node.value_exact<std::string_view>() == "auto";
    if (!automatic && (!number || *number < kMinGflopsFloor || *number > kMostGflops))
        return "\"auto\", or a whole number from " + std::to_string(kMinGflopsFloor) + " to " +
               std::to_string(kMostGflops);
    settings.min_gflops = automatic ? 0 : *number;
    return {};
}

std::string fraction_of_peak(Settings& settings, const toml::node& node) {
    const auto fraction = node.value_exact<double>();
    if (!fraction || !(*fraction >= 0 && *fraction <= 1)) return "a number from 0.0 to 1.0";
    settings.min_fraction_of_peak = *fraction;
    return {};
}

template <probe::Outcome Which>
std::string verdict(Settings& settings, const toml::node& node) {
    const auto text = node.value_exact<std::string_view>();
    if (text != "fail" && text != "warn") return "\"fail\" or \"warn\"";
    settings.verdicts.set(Which, text == "fail");
    return {};
}

template <probe::Outcome Which>
constexpr SettingKey verdict_key() {
    return {"probe.verdicts", probe::row_of(Which).key, verdict<Which>};
}

using enum probe::Outcome;

constexpr SettingKey kKeys[] = {
    {"", "host-root", absolute_path<&Settings::host_root>},
    {"", "inject", boolean<&Settings::inject>},
    {"runtime", "paths", list_of<&Settings::runtime_paths, is_absolute, kAbsolutePaths>},
    {"selection", "environment", one_of<&Settings::environment, kEnvironmentWords>},
    {"selection", "trusted-namespaces",
     list_of<&Settings::trusted_namespaces, is_namespace, kNamespaces, Empty::Allow>},
    {"probe", "policy", one_of<&Settings::probe_policy, kPolicyWords>},
    {"probe", "level", one_of<&Settings::probe_level, kLevelWords>},
    {"probe", "timeout", whole_number<&Settings::probe_timeout, 1, kMaxTimeoutSeconds>},
    {"probe", "min-gflops", min_gflops},
    {"probe", "min-fraction-of-peak", fraction_of_peak},
    {"probe", "amd-runtime", one_of<&Settings::probe_by_hip, kAmdRuntimeWords>},
    {"probe", "by-container", boolean<&Settings::probe_by_container>},
    verdict_key<Access>(), verdict_key<Mismatch>(), verdict_key<WrongResult>(),
    verdict_key<CpuFallback>(), verdict_key<Fault>(), verdict_key<Hung>(),
    verdict_key<StuckInDriver>(), verdict_key<TwinFailed>(), verdict_key<Slow>(),
    verdict_key<Busy>(), verdict_key<OutOfGpuMemory>(), verdict_key<NoGpuLibrary>(),
    verdict_key<NotApplicable>(),
    {"warnings", "shm", warning<&plan::WarningSwitches::shm>},
    {"warnings", "memlock", warning<&plan::WarningSwitches::memlock>},
    {"log", "file", absolute_path<&Settings::log_file, Empty::Allow>},
    {"log", "level", one_of<&Settings::log_level, kLogWords>},
    {"log", "system", boolean<&Settings::log_to_system>},
};

}  // namespace

std::span<const SettingKey> setting_keys() { return kKeys; }

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const SettingKey& key : kKeys)
        names.push_back((key.section.empty() ? "" : std::string(key.section) + ".") +
                        std::string(key.name));
    return names;
}

std::optional<ProbePolicy> parse_probe_policy(std::string_view text) {
    for (const auto& word : kPolicyWords)
        if (word.name == text) return word.value;
    return std::nullopt;
}

}  // namespace gantry::app
