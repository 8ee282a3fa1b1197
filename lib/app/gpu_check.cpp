#include "app/gpu_check.hpp"

#include <algorithm>
#include <climits>
#include <set>
#include <unistd.h>

#include "app/gpu_turns.hpp"
#include "app/state_folder.hpp"
#include "base/text.hpp"
#include "host/amd_usage.hpp"
#include "probe/kernels/gemm_data.hpp"
#include "plan/steps.hpp"
#include "probe/launcher.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

// Sweeping must not hold up a create by more than a moment.
constexpr std::size_t kMaxSweptTwins = 4;

constexpr unsigned kSimulatedSize = 256;
// The kubelet gives up after 120 s.
constexpr std::chrono::seconds kMostTime{90};

std::vector<std::string> twin_global_flags(const oci::RuntimeArgv& arguments) {
    std::vector<std::string> flags;
    if (arguments.systemd_cgroup) flags.emplace_back("--systemd-cgroup");
    if (!arguments.cgroup_manager.empty())
        flags.push_back("--cgroup-manager=" + arguments.cgroup_manager);
    if (arguments.rootless && !arguments.rootless->empty())
        flags.push_back("--rootless=" + *arguments.rootless);
    return flags;
}

std::vector<std::string> twin_run_flags(const oci::RuntimeArgv& arguments) {
    std::vector<std::string> flags;
    if (arguments.no_pivot) flags.emplace_back("--no-pivot");
    if (arguments.no_new_keyring) flags.emplace_back("--no-new-keyring");
    return flags;
}

// A healthy GPU is never refused because it is shared: what others have on it
// would make the check slow, or fail for want of memory.
std::string in_use_text(const host::AmdUsage& usage) {
    constexpr std::uint64_t kLeastFreeBytes = std::uint64_t{2} << 30;
    if (usage.processes > 0)
        return std::to_string(usage.processes) +
               (usage.processes == 1 ? " process has" : " processes have") +
               " memory on it (/sys/class/kfd/kfd/proc).";
    if (!usage.used_bytes || !usage.total_bytes || *usage.used_bytes > *usage.total_bytes) return {};
    const std::uint64_t free = *usage.total_bytes - *usage.used_bytes;
    // An integrated GPU's own memory is small, and what it computes in is not that.
    if (free >= std::min(kLeastFreeBytes, *usage.total_bytes / 2)) return {};
    return std::to_string(free >> 20) + " of " + std::to_string(*usage.total_bytes >> 20) +
           " MiB of its memory are free.";
}

// An image can set the variable, so it only softens, and only where that is
// allowed; a value that is none is no wish.
ProbePolicy softened(const Settings& settings, const request::Request& request) {
    if (!settings.probe_by_container || !request.probe_wish) return settings.probe_policy;
    const auto wish = parse_probe_policy(*request.probe_wish);
    return wish ? std::max(settings.probe_policy, *wish) : settings.probe_policy;
}

}  // namespace

Result<ProbePolicy> effective_policy(const Settings& settings, const request::Request& request) {
    if (!request.probe_override) return softened(settings, request);
    if (const auto policy = parse_probe_policy(*request.probe_override)) return *policy;
    return fail(Code::ConfigInvalid,
                "the annotation gantry.gpu/probe=\"" + printable(*request.probe_override) +
                    "\" of the container is none of fail, warn, off",
                "Correct the annotation or remove it");
}

probe::Expectation checked_expectation(const Settings& settings, const probe::Expectation& expectation) {
    probe::Expectation wanted = expectation;
    if (settings.probe_level == ProbeLevel::Access) {
        wanted.amd.clear();
        wanted.nvidia.clear();
        return wanted;
    }
    // A processor stands in for the GPU of a simulated host.
    wanted.product.size = expectation.simulated ? kSimulatedSize : probe::kMaxSize;
    wanted.product.rounds = settings.probe_rounds;
    wanted.product.budget_ms = settings.probe_round_ms;
    wanted.product.min_gflops = static_cast<double>(settings.min_gflops);
    wanted.product.min_fraction_of_peak = settings.min_fraction_of_peak;
    wanted.product.hip = settings.probe_by_hip;
    return wanted;
}

std::chrono::milliseconds time_limit(const Settings& settings, const probe::Expectation& wanted) {
    std::set<std::string> cards;  // a card's partitions start together
    for (const auto* gpus : {&wanted.amd, &wanted.nvidia})
        for (const probe::ExpectedGpu& gpu : *gpus) cards.insert(gpu.pci_address);
    const std::chrono::seconds further{5 * (cards.size() > 1 ? cards.size() - 1 : 0)};
    const std::chrono::milliseconds rounds{settings.probe_rounds > 1
                                               ? settings.probe_rounds * settings.probe_round_ms * 2
                                               : 0};
    return std::max<std::chrono::milliseconds>(
               settings.probe_timeout,
               std::min<std::chrono::milliseconds>(settings.probe_timeout + further, kMostTime)) +
           rounds;
}

bool refuses(const Settings& settings, ProbePolicy policy, const probe::Verdict& verdict) {
    return policy == ProbePolicy::Fail && settings.verdicts.refuses(verdict.outcome);
}

void note_other_users(const Settings& settings, const std::vector<inventory::Gpu>& gpus,
                      probe::Expectation& wanted) {
    const auto root = host::HostRoot::open(settings.host_root);
    if (!root) return;
    for (const inventory::Gpu& gpu : gpus) {
        if (gpu.vendor != inventory::Vendor::Amd || !gpu.kfd_node) continue;
        const auto expected = std::ranges::find_if(wanted.amd, [&](const probe::ExpectedGpu& one) {
            return one.title == plan::title(gpu);
        });
        if (expected != wanted.amd.end())
            expected->in_use =
                in_use_text(host::read_amd_usage(*root, *gpu.kfd_node, gpu.pci_address));
    }
}

CheckResult check_gpus(const Settings& settings, const GpuCheck& check,
                          const std::string& edited_config, const probe::Expectation& expectation) {
    const std::string state =
        state_folder(environment_value(check.environment, "XDG_RUNTIME_DIR"));
    probe::sweep_stale_twins(state, check.runtime.path, check.environment, kMaxSweptTwins);
    probe::Expectation wanted = checked_expectation(settings, expectation);
    note_other_users(settings, check.gpus, wanted);
    const GpuTurns turns = GpuTurns::take(state, wanted, kMostWaitForGpus);
    wanted.product.timed = turns.complete();
    const probe::TwinRun run{check.runtime.path,  twin_global_flags(check.arguments),
                             twin_run_flags(check.arguments), check.environment,
                             state,               check.container_id,
                             check.bundle,        check.rootfs,
                             probe_program(),     time_limit(settings, wanted)};
    auto twin = probe::run_twin(run, edited_config, wanted);
    if (!twin)
        return {{probe::Outcome::TwinFailed, "the GPU check could not be started",
                 std::move(twin.error()), {}},
                {}};
    return {probe::judge(wanted, twin->outcome), std::move(twin->made_in_rootfs),
            twin->outcome.interrupted_by};
}

std::string probe_program() {
    char self[PATH_MAX];
    const ssize_t n = ::readlink("/proc/self/exe", self, sizeof self - 1);
    const std::string program(self, static_cast<std::size_t>(n > 0 ? n : 0));
    const std::string folder = program.substr(0, program.rfind('/') + 1);
    const std::string installed = sys::absolute_path(folder + "../libexec/gantry/gantry-probe");
    return sys::is_executable_file(installed) ? installed : folder + "gantry-probe";
}

}  // namespace gantry::app
