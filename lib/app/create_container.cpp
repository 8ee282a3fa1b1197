#include "app/create_container.hpp"

#include <algorithm>
#include <cerrno>

#include "app/bundle.hpp"
#include "app/container_plan.hpp"
#include "app/container_state.hpp"
#include "app/create_claim.hpp"
#include "app/gpu_check.hpp"
#include "app/log.hpp"
#include "app/mount_points.hpp"
#include "app/record.hpp"
#include "app/state_folder.hpp"
#include "base/text.hpp"
#include "plan/steps.hpp"
#include "probe/launcher.hpp"
#include "sys/file.hpp"

namespace gantry::app {
namespace {

// At most this many files are looked at, so that a create is never held up.
constexpr std::size_t kMaxSweptRecords = 64;

struct BundlePaths {
    std::string bundle;  // absolute
    std::string config;
};

// The file that the low-level runtime will read. crun takes another name from
// the caller's working folder, not from the bundle.
BundlePaths bundle_paths(const oci::RuntimeArgv& arguments) {
    const std::string bundle = sys::resolved_path(arguments.bundle.value_or("."));
    if (arguments.config_file) return {bundle, sys::absolute_path(*arguments.config_file)};
    return {bundle, bundle + "/config.json"};
}

// The id is the name of the low-level runtime's folder for the container.
bool is_plain_id(const std::string& id) {
    return !id.empty() && id != "." && id != ".." && id.find('/') == std::string::npos;
}

class Create {
public:
    Create(const CreateCall& call, BundlePaths paths, Story& story)
        : call_(call), settings_(call.loaded.settings), paths_(std::move(paths)), story_(story) {}

    Status run() {
        story_.enter("request");
        auto spec = read_bundle_spec(paths_.config);
        if (!spec && errno == EFBIG)
            return fail(Code::SpecTooLarge,
                        printable(paths_.config, 200) + " is larger than " +
                            std::to_string(kMaxSpecBytes >> 20) + " MiB",
                        "Make it smaller; no engine writes one of that size");
        // Missing or unreadable: the low-level runtime's own words are the error.
        if (!spec) return {};
        auto container = read_container_request(spec->original(), settings_);
        if (!container) {
            if (container.error().code != Code::SpecMalformed) return asked_but_failed(container.error());
            note(LogLevel::Warn, container.error().text() + "; handed over unchanged");
            return {};
        }
        // runc reads the first value of the file; crun will refuse it in its own words.
        if (container->document.has_tail() && call_.runtime.kind == oci::RuntimeKind::Crun) {
            note(LogLevel::Warn, "bytes follow the JSON in config.json; handed over unchanged");
            return {};
        }
        name_pod(story_, container->spec);
        note_new(container->request.notices);
        if (!container->request.any()) {
            // A record of an earlier container of that id would mislead later verbs.
            if (!container_exists(identity()))
                remove_record(state_folder(xdg_runtime_dir()), identity());
            return write_bundle_spec(*spec, spec->original());
        }
        if (call_.loaded.error) return std::unexpected(*call_.loaded.error);
        const std::string rootfs = rootfs_of(container->spec, paths_.bundle, call_.runtime.kind);
        Status created = create_with_gpus(*spec, *container, rootfs);
        if (!created) probe::undo_in_rootfs(rootfs, made_in_rootfs_);
        return created;
    }

    void undo() const {
        if (container_exists(identity())) return;
        remove_record(state_folder(xdg_runtime_dir()), identity());
        // What cannot be put back is met by the next create as its own edit.
        if (const auto spec = read_bundle_spec(paths_.config))
            (void)write_bundle_spec(*spec, spec->original());
    }

private:
    // With a broken configuration nobody knows who may ask, so that is the error.
    Status asked_but_failed(const Error& error) const {
        const bool selection = error.code == Code::SelectorMalformed;
        return std::unexpected(selection && call_.loaded.error ? *call_.loaded.error : error);
    }

    Status create_with_gpus(const BundleSpec& spec, ContainerRequest& container,
                            const std::string& rootfs) {
        // The low-level runtime will refuse it; the record of the container that
        // has the id must not become this one's.
        const std::string state = state_folder(xdg_runtime_dir());
        // crun takes some of these, and would keep its state in another's folder.
        if (!is_plain_id(call_.arguments.id))
            return fail(Code::ArgumentsInvalid,
                        "the container's id \"" + printable(call_.arguments.id) + "\" is a path",
                        "Use letters, digits and _ + - . alone");
        if (container_exists(identity()))
            return fail(Code::IdInUse,
                        "a container with the id " + printable(call_.arguments.id) +
                            " exists already below " + effective_root(),
                        "Delete it first, or use another id");
        GANTRY_CHECK(sys::make_folders(state));
        GANTRY_CHECK(sys::check_private_folder(state));
        story_.enter("plan");
        GANTRY_TRY(const plan::Plan plan,
                   plan_container(settings_, container, rootfs, call_.runtime.kind));
        for (const inventory::Gpu& gpu : plan.gpus) story_.gpus.push_back(plan::title(gpu));
        const std::string reasons = plan::render_text(plan);
        for (const std::string_view line : split(reasons, '\n'))
            if (!line.empty()) story_.reasons.emplace_back(line);
        note_new(plan.notices);
        story_.enter("edit");
        GANTRY_TRY(const std::string edited, edit_container(container, plan));
        // Before the check: its twin makes them too.
        std::vector<std::string> mount_points = missing_mount_points(rootfs, plan.edits);
        story_.enter("check");
        GANTRY_TRY(const std::string verdict, check(container.request, plan, edited, rootfs));

        story_.enter("record");
        story_.verdict = verdict;
        Record record = identity();
        record.verdict = verdict;
        record.env = plan.edits.env;
        record.additional_gids = plan.edits.additional_gids;
        // Of all granted nodes: an update's own list may lack also those that the
        // spec allowed before. What others injected is theirs to keep.
        for (const probe::ExpectedNode& node : plan.expectation.nodes) {
            if (!container.request.inject) break;
            oci::DeviceEdit rule;
            rule.major = node.major;
            rule.minor = node.minor;
            record.device_rules.push_back(std::move(rule));
        }
        record.gpus = story_.gpus;
        record.time = story_.time;
        record.rootfs = rootfs;
        record.mount_points = std::move(mount_points);
        sweep_stale_records(state, kMaxSweptRecords);
        story_.end();
        GANTRY_CHECK(claim_record(state, record, story_));
        story_.enter("write");
        if (auto written = write_bundle_spec(spec, edited); !written) {
            remove_record(state, record);
            return written;
        }
        note(LogLevel::Info, verdict + ": " + join(record.gpus, ", ") +
                                 (story_.summary.empty() ? "" : ": " + story_.summary));
        return {};
    }

    // The verdict's name where the container may start.
    Result<std::string> check(const request::Request& request, const plan::Plan& plan,
                              const std::string& edited, const std::string& rootfs) {
        const Settings settings = settings_for(settings_, request);
        GANTRY_TRY(const ProbePolicy policy, effective_policy(settings, request));
        // A restored process has its GPU state from the dump; a check before it
        // says nothing of that, and the dump's container was checked.
        if (policy == ProbePolicy::Off || call_.arguments.verb == "restore") return "NOT_CHECKED";
        CheckResult checked =
            check_gpus(settings,
                       {call_.runtime, call_.arguments, call_.environment, call_.arguments.id,
                        paths_.bundle, rootfs, plan.gpus},
                       edited, plan.expectation);
        made_in_rootfs_ = std::move(checked.made_in_rootfs);
        const probe::Verdict& verdict = checked.verdict;
        story_.summary = verdict.summary;
        story_.ended_by = checked.interrupted_by;
        // Whoever wants the create to end wants no container, whatever the policy.
        if (story_.ended_by != 0) return std::unexpected(*verdict.error);
        if (!verdict.error) return std::string(to_string(verdict.outcome));
        if (refuses(settings, policy, verdict)) return std::unexpected(*verdict.error);
        note(LogLevel::Warn, verdict.error->text());
        return std::string(to_string(verdict.outcome));
    }

    // A plan repeats the notices of its request.
    void note_new(const std::vector<std::string>& notices) {
        for (const std::string& notice : notices) {
            if (std::ranges::find(noted_, notice) != noted_.end()) continue;
            noted_.push_back(notice);
            note(LogLevel::Info, notice);
        }
    }

    void note(LogLevel level, const std::string& text) const {
        if (level == LogLevel::Warn) story_.warnings.push_back(text);
        log_line(settings_, level, call_.arguments.id, text, story_);
    }

    std::string xdg_runtime_dir() const {
        return environment_value(call_.environment, "XDG_RUNTIME_DIR");
    }

    // What tells this container from others, without what it is given.
    Record identity() const {
        Record record;
        record.root = effective_root();
        record.id = call_.arguments.id;
        record.runtime = call_.runtime;
        record.bundle = paths_.bundle;
        return record;
    }

    std::string effective_root() const {
        return app::effective_root(call_.arguments.root, call_.runtime.kind, xdg_runtime_dir(),
                                   paths_.bundle);
    }

    const CreateCall& call_;
    const Settings& settings_;
    const BundlePaths paths_;
    Story& story_;
    std::vector<std::string> noted_;
    std::vector<std::string> made_in_rootfs_;  // by the twin, for undo_in_rootfs()
};

}  // namespace

Status prepare_create(const CreateCall& call, Story& story) {
    const oci::RuntimeArgv& arguments = call.arguments;
    if (call.loaded.error)
        log_line(call.loaded.settings, LogLevel::Error, arguments.id, call.loaded.error->text());
    // A command line that the low-level runtime will refuse, or one whose
    // bundle cannot be told: its own words are the error.
    if (arguments.usage_error || arguments.id.empty()) {
        log_line(call.loaded.settings, LogLevel::Warn, arguments.id,
                 "the command line of " + arguments.verb +
                     " is not understood; handed over unchanged");
        return {};
    }
    return Create(call, bundle_paths(arguments), story).run();
}

void undo_create(const CreateCall& call) {
    Story nobody_asks;
    if (!call.arguments.usage_error && is_plain_id(call.arguments.id))
        Create(call, bundle_paths(call.arguments), nobody_asks).undo();
}

}  // namespace gantry::app
