#include "app/run_cli.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "app/bundle.hpp"
#include "app/container_list.hpp"
#include "app/container_plan.hpp"
#include "app/debug_bundle.hpp"
#include "app/debug_view.hpp"
#include "app/explain.hpp"
#include "app/probe_now.hpp"
#include "app/probe_view.hpp"
#include "app/record.hpp"
#include "app/state_folder.hpp"
#include "app/version.hpp"
#include "app/why.hpp"
#include "base/text.hpp"
#include "host/host_root.hpp"

namespace gantry::app {
namespace {

struct Options {
    std::string host_root, bundle, probed_bundle, runtime, container;
    std::vector<std::string> query;
    bool json = false, no_run = false, here = false;
    std::string level;
    unsigned stress = 0;  // seconds
};

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

int refuse(const Error& error) {
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

// The configuration as it stands, with --host-root on top.
Result<Settings> settings_for(const Options& options,
                              const std::vector<std::string>& environment) {
    LoadedSettings loaded = load_settings(config_path(environment));
    if (loaded.error) return std::unexpected(std::move(*loaded.error));
    if (!options.host_root.empty())
        loaded.settings.host_root = sys::absolute_path(options.host_root);
    return std::move(loaded.settings);
}

Status list(const Options& options, const Settings& settings) {
    GANTRY_TRY(const host::HostRoot root, host::HostRoot::open(settings.host_root));
    GANTRY_TRY(const host::HostFacts facts, host::read_host_facts(root));
    const inventory::Inventory inventory = inventory::build_inventory(facts);
    print(options.json ? inventory::render_json(inventory) : inventory::render_table(inventory));
    return {};
}

Status plan(const Options& options, const Settings& settings) {
    const std::string bundle = sys::absolute_path(options.bundle);
    const auto spec = read_bundle_spec(bundle + "/config.json");
    if (!spec)
        return fail(Code::SpecUnreadable, bundle + "/config.json: " + errno_text(errno),
                    "Give the folder that holds config.json");
    GANTRY_TRY(const ContainerRequest container,
               read_container_request(spec->original(), settings));
    // Without a low-level runtime the plan is still of interest.
    const auto runtime = choose_runtime(std::nullopt, settings.runtime_paths);
    GANTRY_TRY(const plan::Plan made,
               plan_container(settings, container, rootfs_of(container.spec, bundle),
                              runtime ? runtime->kind : oci::RuntimeKind::Runc));
    if (options.json) {
        print(plan::render_json(made));
    } else {
        const std::string text = plan::render_text(made);
        print(text.empty() ? "No GPU is asked for: config.json keeps every byte.\n" : text);
    }
    return {};
}

int debug(const Options& options, const Settings& settings,
          const std::vector<std::string>& environment) {
    const bool colour = ::isatty(STDOUT_FILENO) != 0;
    DebugOptions wanted;
    wanted.bundle = options.bundle;
    if (!options.runtime.empty()) wanted.runtime = sys::absolute_path(options.runtime);
    wanted.run = !options.no_run;
    const DebugResult result =
        debug_bundle(settings, wanted, environment, [&](const char* name, const DebugResult& now) {
            if (!options.json) print(render_step(name, now, colour));
        });
    print(options.json ? render_debug_json(result) : render_ending(result, colour));
    return result.error ? 1 : 0;
}

int probe(const Options& options, Settings settings,
          const std::vector<std::string>& environment) {
    settings.probe_level = options.level == "access" ? ProbeLevel::Access : ProbeLevel::Compute;
    if (options.stress > 0) {
        // Each round's result is kept until it is judged, so their number is bounded.
        constexpr unsigned kMostRounds = 60;
        settings.probe_rounds = std::min(options.stress, kMostRounds);
        settings.probe_round_ms = options.stress * 1000 / settings.probe_rounds;
    }
    ProbeWish wish;
    wish.bundle = options.probed_bundle;
    wish.container = options.container;
    if (!options.runtime.empty()) wish.runtime = sys::absolute_path(options.runtime);
    const auto answer = probe_now(settings, wish, environment, [&](const ProbeStage& stage) {
        if (!options.json) print(render_stage(stage));
    });
    if (!answer) return refuse(answer.error());
    print(options.json ? render_answer_json(*answer) : render_answer(*answer));
    return settings.verdicts.refuses(answer->verdict.outcome) ? 1 : 0;
}

// What is kept there is this user's alone, so another one sees nothing.
Status check_readable(const std::string& state) {
    if (::access(state.c_str(), R_OK | X_OK) == 0 || errno == ENOENT) return {};
    return fail(Code::StateUnusable, state + ": " + errno_text(errno), "Run it as root");
}

int ps(const Options& options, const std::string& state) {
    if (const Status readable = check_readable(state); !readable) return refuse(readable.error());
    const auto containers = list_live_containers(state);
    print(options.json ? render_container_json(containers) : render_container_table(containers));
    return 0;
}

int why(const Options& options, const std::string& state) {
    if (const Status readable = check_readable(state); !readable) return refuse(readable.error());
    const auto accounts = choose_accounts(list_accounts(state), options.container);
    if (accounts.size() == 1) {
        print(options.json ? render_account_json(accounts[0]) : render_account(accounts[0]));
        return 0;
    }
    const std::string name = printable(options.container, 128);
    if (!accounts.empty())
        std::fprintf(stderr, "Several are meant by %s; name one:\n%s", name.c_str(),
                     render_account_lines(accounts).c_str());
    else if (options.container.empty())
        std::fprintf(stderr, "No refused container is remembered.\n");
    else
        std::fprintf(stderr,
                     "Nothing is remembered of %s: no container with a GPU by Gantry lives by that "
                     "id or pod, and none of the last %zu refused ones had it.\n",
                     name.c_str(), kMostFailures);
    return 1;
}

int explain_words(const Options& options) {
    const Explained explained = explain(join(options.query, " "));
    std::fwrite(explained.text.data(), 1, explained.text.size(), explained.found ? stdout : stderr);
    return explained.found ? 0 : 1;
}

}  // namespace

int run_cli(int argc, char** argv, char** environment) {
    std::vector<std::string> variables;
    for (char** entry = environment; *entry; ++entry) variables.emplace_back(*entry);

    Options options;
    CLI::App app("GPUs in containers that provably work", "gantryctl");
    app.set_version_flag("--version", kVersion);
    app.require_subcommand(1);
    const auto common = [&](CLI::App* command) {
        command->add_option("--host-root", options.host_root,
                            "Read the host from this folder (a simulated host)");
        command->add_flag("--json", options.json, "Print JSON");
        return command;
    };
    CLI::App* ps_command = app.add_subcommand("ps", "Show the containers that have a GPU by Gantry");
    ps_command->add_flag("--json", options.json, "Print JSON");
    CLI::App* why_command =
        app.add_subcommand("why", "Show what became of a container's create, step by step");
    why_command->add_option("ID", options.container,
                            "The beginning of its id, or its pod; else the newest refusal");
    why_command->add_flag("--json", options.json, "Print JSON");
    CLI::App* explain_command =
        app.add_subcommand("explain", "Explain an error code, or words that a program printed");
    explain_command->add_option("QUERY", options.query, "GTY-204, \"cuda 999\", or a text")
        ->required();
    const CLI::App* list_command =
        common(app.add_subcommand("list", "Show the GPUs of this host"));
    CLI::App* plan_command =
        common(app.add_subcommand("plan", "Show what would be done to a container, and why"));
    plan_command->add_option("--bundle", options.bundle, "Folder with config.json")
        ->default_val(".");
    CLI::App* debug_command = common(
        app.add_subcommand("debug", "Walk one bundle through every step, on a private copy"));
    debug_command->add_option("BUNDLE", options.bundle, "Folder with config.json")->required();
    debug_command->add_option("--runtime", options.runtime, "runc or crun, by its path");
    debug_command->add_flag("--no-run", options.no_run, "Stop after the difference to config.json");
    CLI::App* probe_command = common(
        app.add_subcommand("probe", "Check the GPUs now: of this host, a container or a bundle"));
    auto* const here = probe_command->add_flag("--here", options.here, "On this host (default)");
    auto* const container = probe_command->add_option("--container", options.container,
                                                      "In this running container")
                                ->excludes(here);
    probe_command->add_option("--bundle", options.probed_bundle, "In a twin of this bundle's container")
        ->excludes(here)
        ->excludes(container);
    probe_command->add_option("--runtime", options.runtime, "For a bundle: runc or crun");
    probe_command->add_option("--level", options.level, "access or compute")
        ->check(CLI::IsMember({"access", "compute"}))
        ->default_val("compute");
    probe_command->add_option("--stress", options.stress, "Compute for so many seconds")
        ->check(CLI::Range(1, 3600));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }

    // Of use above all where the configuration is broken.
    if (explain_command->parsed()) return explain_words(options);
    const std::string state = state_folder(environment_value(variables, "XDG_RUNTIME_DIR"));
    if (ps_command->parsed()) return ps(options, state);
    if (why_command->parsed()) return why(options, state);
    const auto settings = settings_for(options, variables);
    if (!settings) return refuse(settings.error());
    if (debug_command->parsed()) return debug(options, *settings, variables);
    if (probe_command->parsed()) return probe(options, *settings, variables);
    const Status done =
        list_command->parsed() ? list(options, *settings) : plan(options, *settings);
    return done ? 0 : refuse(done.error());
}

}  // namespace gantry::app
