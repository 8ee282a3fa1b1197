#include "app/probe_now.hpp"

#include <cerrno>
#include <unistd.h>

#include "app/bundle.hpp"
#include "app/container_plan.hpp"
#include "app/debug_bundle.hpp"
#include "app/gpu_check.hpp"
#include "app/gpu_turns.hpp"
#include "app/record.hpp"
#include "app/state_folder.hpp"
#include "base/text.hpp"
#include "host/host_root.hpp"
#include "probe/direct_check.hpp"
#include "probe/launcher.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

using Clock = std::chrono::steady_clock;

// Follows the report's `stage` lines.
class Stages {
public:
    Stages(ProbeAnswer& answer, const ProbeListener& listener)
        : answer_(answer), listener_(listener) {}

    void operator()(std::string_view line) const {
        const std::vector<std::string_view> fields = split(line, '\t');
        if (fields[0] != "stage" || fields.size() < 2) return;
        ProbeStage stage;
        stage.name = printable(fields[1], 60);
        if (fields.size() == 4) stage.gpu = printable(join(fields[2], fields[3]), 16);
        stage.at = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_);
        if (listener_) listener_(stage);
        answer_.stages.push_back(std::move(stage));
    }

private:
    static std::string join(std::string_view vendor, std::string_view index) {
        return std::string(vendor) + " " + std::string(index);
    }

    ProbeAnswer& answer_;
    const ProbeListener& listener_;
    const Clock::time_point begin_ = Clock::now();
};

// The container that asks for every usable GPU and has no files of its own.
Result<std::string> whole_host_config(const Settings& settings) {
    GANTRY_TRY(const host::HostRoot root, host::HostRoot::open(settings.host_root));
    GANTRY_TRY(const host::HostFacts facts, host::read_host_facts(root));
    std::string variables;
    const inventory::Inventory inventory = inventory::build_inventory(facts);
    for (const auto vendor : {inventory::Vendor::Amd, inventory::Vendor::Nvidia})
        for (const inventory::Gpu* gpu : inventory.of(vendor)) {
            if (!gpu->unusable.empty()) continue;
            variables += variables.empty() ? "" : ",";
            variables += vendor == inventory::Vendor::Amd ? R"("AMD_VISIBLE_DEVICES=all")"
                                                          : R"("NVIDIA_VISIBLE_DEVICES=all")";
            break;
        }
    if (variables.empty())
        return fail(Code::NoGpu, "no usable GPU is on this host",
                    "See gantryctl list for what is there and why it cannot be used");
    return R"({"ociVersion":"1.0.2","process":{"args":["x"],"env":[)" + variables +
           R"(]},"root":{"path":"/"},"linux":{}})";
}

Result<ProbeAnswer> probe_directly(const Settings& settings, const plan::Plan& plan,
                                   const std::vector<std::string>& environment,
                                   probe::DirectCheck check, ProbeAnswer answer,
                                   const ProbeListener& listener) {
    probe::Expectation expectation = checked_expectation(settings, plan.expectation);
    note_other_users(settings, plan.gpus, expectation);
    const GpuTurns turns =
        GpuTurns::take(state_folder(environment_value(environment, "XDG_RUNTIME_DIR")), expectation,
                       kMostWaitForGpus);
    expectation.product.timed = turns.complete();
    check.probe_program = probe_program();
    check.timeout = time_limit(settings, expectation);
    check.heard = Stages(answer, listener);
    const auto begin = Clock::now();
    GANTRY_TRY(const probe::RunOutcome outcome, probe::run_direct(check, expectation));
    answer.time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    answer.verdict = probe::judge(expectation, outcome);
    return answer;
}

Result<ProbeAnswer> probe_host(const Settings& settings,
                               const std::vector<std::string>& environment,
                               const ProbeListener& listener) {
    GANTRY_TRY(const std::string config, whole_host_config(settings));
    GANTRY_TRY(const ContainerRequest container, read_container_request(config, settings));
    GANTRY_TRY(plan::Plan plan, plan_container(settings, container, "/", oci::RuntimeKind::Runc));
    // Its nodes are in the containers of a simulated host, not here.
    if (plan.expectation.simulated) plan.expectation.nodes.clear();
    probe::DirectCheck check;
    check.environment = environment;
    ProbeAnswer answer;
    answer.where = "this host";
    return probe_directly(settings, plan, environment, std::move(check), std::move(answer), listener);
}

Result<RecordedContainer> find_container(const std::string& state, const std::string& name) {
    std::vector<RecordedContainer> found;
    for (RecordedContainer& container : list_live_containers(state))
        if (container.record.id.starts_with(name) || container.story.pod == name ||
            container.story.pod.ends_with("/" + name))
            found.push_back(std::move(container));
    if (found.size() == 1) return std::move(found.front());
    return fail(Code::ArgumentsInvalid,
                (found.empty() ? "no live container with a GPU by Gantry is meant by "
                               : "several containers are meant by ") +
                    printable(name, 64),
                "Take an id of gantryctl ps");
}

Result<ProbeAnswer> probe_container(const Settings& settings, const std::string& name,
                                    const std::vector<std::string>& environment,
                                    const ProbeListener& listener) {
    const std::string state = state_folder(environment_value(environment, "XDG_RUNTIME_DIR"));
    GANTRY_TRY(const RecordedContainer recorded, find_container(state, name));
    const Record& record = recorded.record;
    const auto spec = read_bundle_spec(record.bundle + "/config.json");
    if (!spec)
        return fail(Code::SpecUnreadable, record.bundle + "/config.json: " + errno_text(errno),
                    "Its engine removed the bundle; the container cannot be checked by Gantry");
    GANTRY_TRY(const ContainerRequest container,
               read_container_request(spec->original(), settings));
    GANTRY_TRY(const plan::Plan plan,
               plan_container(settings, container, rootfs_of(container.spec, record.bundle),
                              record.runtime.kind));
    probe::DirectCheck check;
    check.environment = environment;
    GANTRY_CHECK(sys::make_folders(state));
    check.pid_file = state + "/probe-" + std::to_string(::getpid()) + ".pid";
    check.by = {record.runtime.path, "--root",    record.root,    "exec",
                "--preserve-fds",    "3",         "--pid-file",   check.pid_file,
                "--cwd",             "/",         record.id};
    ProbeAnswer answer;
    answer.where = "container " + record.id.substr(0, 12);
    const std::string pid_file = check.pid_file;
    auto checked = probe_directly(settings, plan, environment, std::move(check), std::move(answer), listener);
    sys::remove_file(pid_file);
    return checked;
}

Result<ProbeAnswer> probe_bundle(const Settings& settings, const ProbeWish& wish,
                                 const std::vector<std::string>& environment) {
    DebugOptions options;
    options.bundle = wish.bundle;
    options.runtime = wish.runtime;
    options.check_only = true;
    DebugResult result =
        debug_bundle(settings, options, environment, [](const char*, const DebugResult&) {});
    if (!result.verdict) {
        if (result.error) return std::unexpected(std::move(*result.error));
        return fail(Code::StateUnusable, result.no_run_reason, "Run it as root");
    }
    ProbeAnswer answer;
    answer.where = "bundle " + wish.bundle;
    answer.verdict = std::move(*result.verdict);
    answer.time = result.check_time;
    return answer;
}

}  // namespace

Result<ProbeAnswer> probe_now(const Settings& settings, const ProbeWish& wish,
                              const std::vector<std::string>& environment,
                              const ProbeListener& listener) {
    if (!wish.bundle.empty()) return probe_bundle(settings, wish, environment);
    if (!wish.container.empty())
        return probe_container(settings, wish.container, environment, listener);
    return probe_host(settings, environment, listener);
}

}  // namespace gantry::app
