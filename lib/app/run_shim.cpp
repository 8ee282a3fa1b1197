// The shim, top to bottom. Only create, run and restore of a container with a
// GPU request do any work, and exec and update of one that has a record;
// everything else becomes the low-level runtime at once.
#include "app/run_shim.hpp"

#include "app/container_state.hpp"
#include "app/create_container.hpp"
#include "app/engine_log.hpp"
#include "app/failure_store.hpp"
#include "app/log.hpp"
#include "app/record.hpp"
#include "app/recorded_verbs.hpp"
#include "app/runtime_choice.hpp"
#include "app/settings.hpp"
#include "app/state_folder.hpp"
#include "sys/caught_signals.hpp"
#include "sys/file.hpp"
#include "sys/foreground.hpp"
#include "sys/process.hpp"

namespace gantry::app {
namespace {

using oci::RuntimeArgv;
using oci::RuntimeKind;

std::vector<char*> arguments_of(const std::string& path,
                                const std::vector<std::string_view>& argv) {
    std::vector<char*> pointers{const_cast<char*>(path.c_str())};
    // Views of main()'s argv: each ends with its NUL.
    for (std::size_t i = 1; i < argv.size(); ++i) pointers.push_back(const_cast<char*>(argv[i].data()));
    pointers.push_back(nullptr);
    return pointers;
}

Error not_executed(const std::string& path, int cause) {
    return {Code::RuntimeFailed, "the low-level runtime " + path + ": " + errno_text(cause),
            "Install it again, or name another one in [runtime] paths"};
}

// argv stays as it came but for argv[0]; descriptors, pid and signals too.
Error become(const std::string& path, const std::vector<std::string_view>& argv,
             char** environment) {
    return not_executed(path, sys::become(path, arguments_of(path, argv).data(), environment));
}

// Of another kind it is under a root that only the other kind's reading leads to.
std::optional<Record> record_of(const std::vector<CandidateRoot>& roots, const std::string& state,
                                const std::string& id) {
    std::optional<Record> record;
    const std::string* read = nullptr;
    for (const auto& [kind, root] : roots) {
        // Both kinds mostly mean the same folder.
        if (!read || *read != root) record = find_record(state, {root}, id);
        read = &root;
        if (record && record->runtime.kind == kind) return record;
    }
    return std::nullopt;
}

// One that fails must lose nothing, so somebody stays to see how it ends.
Result<int> delete_container(const std::string& path, const std::vector<std::string_view>& argv,
                             char** environment, const Record& record, const std::string& state) {
    const sys::Ended ended =
        sys::run_in_foreground(path, arguments_of(path, argv).data(), environment);
    if (!container_exists(record)) forget_container(state, record);
    if (ended.cause != 0) return std::unexpected(not_executed(path, ended.cause));
    if (ended.signal != 0) sys::end_by_signal(ended.signal);
    return ended.exit_code;
}

// For a verb of a container that exists: the runtime that made it, or where that has
// gone (a package moved it) another of its kind. `deleted` where it is to be deleted.
Result<LowLevelRuntime> runtime_of_container(const RuntimeArgv& arguments,
                                             std::optional<RuntimeKind> by_name,
                                             const std::string& xdg_runtime_dir,
                                             std::vector<std::string> configured,
                                             std::optional<Record>& deleted) {
    if (!arguments.id.empty()) {
        const std::string state = state_folder(xdg_runtime_dir);
        const auto roots = candidate_roots(arguments.root, xdg_runtime_dir);
        if (const auto record = record_of(roots, state, arguments.id)) {
            if (arguments.verb == "delete") deleted = record;
            const bool exec = arguments.verb == "exec", update = arguments.verb == "update";
            // What one container was given is not for another of the same id.
            if ((exec || update) && !container_is_another(*record)) {
                if (exec) GANTRY_CHECK(complete_exec(*record, arguments));
                if (update) GANTRY_CHECK(complete_update(*record, arguments));
            }
            configured.insert(configured.begin(), record->runtime.path);
            return choose_runtime(record->runtime.kind, configured);
        }
        if (const auto owner = owner_of(roots, arguments.id))
            return choose_runtime(owner, configured);
    }
    return choose_runtime(by_name, configured);
}

// To the logs and into the store for `gantryctl why`, then to the engine, which
// may show a part of it or nothing.
int refuse_create(const Settings& settings, const std::string& state, Failure failure,
                  const RuntimeArgv& arguments) {
    failure.story.end();
    failure.id = arguments.id;
    failure.verb = arguments.verb;
    failure.bundle = sys::absolute_path(arguments.bundle.value_or("."));
    log_line(settings, LogLevel::Error, failure.id, failure.error.text(), failure.story);
    keep_failure(state, failure);
    report_to_engine(arguments, failure.error);
    return 1;
}

bool carries_a_bundle(const std::string& verb) {
    return verb == "create" || verb == "run" || verb == "restore";
}

}  // namespace

int run_shim(const std::vector<std::string_view>& argv, char** environment) {
    std::vector<std::string> variables;
    for (char** entry = environment; *entry; ++entry) variables.emplace_back(*entry);
    const std::string xdg_runtime_dir = environment_value(variables, "XDG_RUNTIME_DIR");
    const std::vector<std::string_view> words(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
    const auto by_name = kind_by_name(argv.empty() ? "" : argv[0]);

    const LoadedSettings loaded = load_settings(config_path(variables));
    // Global options read the same for both kinds, which is all that finding
    // the verb and the container needs.
    RuntimeArgv arguments = oci::parse_runtime_argv(words, by_name.value_or(RuntimeKind::Runc));
    const bool creates = carries_a_bundle(arguments.verb);
    std::optional<Record> deleted;
    auto runtime = creates ? choose_runtime(by_name, loaded.settings.runtime_paths)
                           : runtime_of_container(arguments, by_name, xdg_runtime_dir,
                                                  loaded.settings.runtime_paths, deleted);
    Failure failure;
    if (creates && runtime) {
        arguments = oci::parse_runtime_argv(words, runtime->kind);
        failure.runtime = runtime->path;
        failure.root = effective_root(arguments.root, runtime->kind, xdg_runtime_dir,
                                      sys::absolute_path(arguments.bundle.value_or(".")));
        Status created = prepare_create({loaded, arguments, *runtime, variables}, failure.story);
        if (!created) runtime = std::unexpected(std::move(created).error());
    }
    if (!runtime) {
        failure.error = runtime.error();
        if (creates) {
            const int ended_by = failure.story.ended_by;
            const int status = refuse_create(loaded.settings, state_folder(xdg_runtime_dir),
                                             std::move(failure), arguments);
            if (ended_by != 0) sys::end_by_signal(ended_by);
            return status;
        }
        report_to_engine(arguments, failure.error);
        return 1;
    }
    if (deleted) {
        const auto status = delete_container(runtime->path, argv, environment, *deleted,
                                             state_folder(xdg_runtime_dir));
        if (status) return *status;
        report_to_engine(arguments, status.error());
        return 1;
    }
    const Error error = become(runtime->path, argv, environment);
    if (creates) undo_create({loaded, arguments, *runtime, variables});
    report_to_engine(arguments, error);
    return 1;
}

}  // namespace gantry::app
