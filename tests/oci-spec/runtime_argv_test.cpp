#include "catch.hpp"
#include "command_line.hpp"

using namespace gantry::oci;

namespace {

const std::optional<std::string> kCwd;

}  // namespace

TEST_CASE("the verb is never taken from an id, a path or a value") {
    struct Row {
        const char* line;
        const char* verb;
        const char* id;
        std::optional<std::string> bundle;
    };
    const Row rows[] = {
        {"--root R create --bundle B id1", "create", "id1", "B"},
        {"--root R run --bundle B id1", "run", "id1", "B"},
        {"--root R run --bundle create id1", "run", "id1", "create"},
        {"--root R state create", "state", "create", kCwd},
        {"--root R delete --force create", "delete", "create", kCwd},
        {"--root R kill create 9", "kill", "create", kCwd},
        {"--root R kill -a create 9", "kill", "create", kCwd},
        {"--root R exec --process p.json create", "exec", "create", kCwd},
        {"--log create --root R start id1", "start", "id1", kCwd},
        {"--root create list", "list", "", kCwd},
        {"--root R create --bundle B --pid-file create create", "create", "create", "B"},
        {"--systemd-cgroup --root=R create --bundle B id1", "create", "id1", "B"},
        {"--debug create --bundle B id1", "create", "id1", "B"},
        {"--rootless=true --log-format json create id1", "create", "id1", kCwd},
        {"-- create --bundle B id1", "create", "id1", "B"},
        {"--version", "", "", kCwd},
        {"-v", "", "", kCwd},
        {"--version create --bundle B id1", "", "", kCwd},
        {"--help", "", "", kCwd},
        {"", "", "", kCwd},
        {"''", "", "", kCwd},
        {"features", "features", "", kCwd},
        {"update --resources - create", "update", "create", kCwd},
        {"update -r create id1", "update", "id1", kCwd},
        {"restore --bundle B id1", "restore", "id1", "B"},
        {"ps --format json create", "ps", "create", kCwd},
        {"frobnicate create", "frobnicate", "create", kCwd},
        {"create -", "create", "-", kCwd},
    };
    for (const Row& row : rows)
        for (const RuntimeKind kind : {kRunc, kCrun}) {
            CAPTURE(row.line, kind == kCrun);
            const RuntimeArgv argv = parsed(row.line, kind);
            CHECK(argv.verb == row.verb);
            CHECK(argv.id == row.id);
            CHECK(argv.bundle == row.bundle);
            CHECK_FALSE(argv.usage_error);
        }
}

TEST_CASE("global options, last one wins") {
    const RuntimeArgv argv = parsed(
        "--root A --root=B --log L --log-format json --rootless=true --systemd-cgroup create id1",
        kRunc);
    CHECK(argv.root == "B");
    CHECK(argv.log == "L");
    CHECK(argv.log_format == "json");
    CHECK(argv.rootless == "true");
    CHECK(argv.systemd_cgroup);
    CHECK(argv.globals == std::vector<std::string>{"--root", "A", "--root=B", "--log", "L",
                                                   "--log-format", "json", "--rootless=true",
                                                   "--systemd-cgroup"});
    const RuntimeArgv none = parsed("create id1", kRunc);
    CHECK(none.root.empty());
    CHECK_FALSE(none.rootless);
    CHECK_FALSE(none.systemd_cgroup);
    CHECK(none.globals.empty());

    CHECK(parsed("-root A -log=L list", kRunc).root == "A");
    CHECK(parsed("-root A -log=L list", kRunc).log == "L");
    CHECK_FALSE(parsed("--systemd-cgroup --systemd-cgroup=false list", kRunc).systemd_cgroup);
    CHECK(parsed("--systemd-cgroup=1 list", kRunc).systemd_cgroup);
    CHECK(parsed("--criu create list", kRunc).verb == "list");
    CHECK(parsed("--rootless create list", kCrun).verb == "list");
    CHECK(parsed("--log-level error list", kCrun).verb == "list");
    CHECK(parsed("--roo", kCrun).usage_error);  // root or rootless
}

TEST_CASE("crun's cgroup manager and --systemd-cgroup override each other") {
    struct Row {
        const char* line;
        const char* manager;
        bool systemd;
    };
    const Row rows[] = {
        {"--cgroup-manager systemd list", "systemd", true},
        {"--cgroup-manager=disabled list", "disabled", false},
        {"--cg cgroupfs list", "cgroupfs", false},
        {"--systemd-cgroup --cgroup-manager cgroupfs list", "cgroupfs", false},
        {"--cgroup-manager cgroupfs --systemd-cgroup list", "", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const RuntimeArgv argv = parsed(row.line, kCrun);
        CHECK(argv.cgroup_manager == row.manager);
        CHECK(argv.systemd_cgroup == row.systemd);
        CHECK(argv.verb == "list");
    }
}

TEST_CASE("newer runc takes global options after the verb") {
    const RuntimeArgv argv = parsed("create --root R --bundle B --debug id1 --log L", kRunc);
    CHECK(argv.root == "R");
    CHECK(argv.log == "L");
    CHECK(argv.bundle == "B");
    CHECK(argv.id == "id1");
    CHECK_FALSE(argv.usage_error);
    CHECK(argv.globals.empty());
    // The verb's own --rootless is another option, without a value.
    CHECK_FALSE(parsed("spec --rootless --bundle B", kRunc).rootless);
    CHECK(parsed("spec --rootless --bundle B", kRunc).bundle == "B");
    CHECK(parsed("create --root R --bundle B id1", kCrun).unknown_option);
}

TEST_CASE("command lines as engines write them") {
    // containerd-shim-runc-v2
    const RuntimeArgv create = parsed(
        "--root /run/docker/runtime-runc/moby --log /b/log.json --log-format json "
        "--systemd-cgroup create --bundle /b --pid-file /b/init.pid --console-socket /s "
        "--no-pivot --no-new-keyring --preserve-fds 2 0123abc",
        kRunc);
    CHECK(create.verb == "create");
    CHECK(create.bundle == "/b");
    CHECK(create.pid_file == "/b/init.pid");
    CHECK(create.no_pivot);
    CHECK(create.no_new_keyring);
    CHECK(create.id == "0123abc");
    CHECK(create.log == "/b/log.json");
    CHECK_FALSE(create.usage_error);

    const RuntimeArgv restore = parsed(
        "--root R restore --image-path I --work-path W --empty-ns network --detach "
        "--pid-file P -no-subreaper --no-pivot --bundle /b id1",
        kRunc);
    CHECK(restore.bundle == "/b");
    CHECK(restore.id == "id1");
    CHECK(restore.pid_file == "P");
    CHECK(restore.no_pivot);
    CHECK_FALSE(restore.unknown_option);

    const RuntimeArgv exec = parsed(
        "--log L --log-format json exec --process /tmp/p1 --console-socket S --detach "
        "--pid-file F id1",
        kRunc);
    CHECK(exec.process_file == "/tmp/p1");
    CHECK(exec.id == "id1");

    CHECK(parsed("--root R delete --force id1", kRunc).force);
    CHECK(parsed("delete id1 --force", kRunc).force);
    CHECK_FALSE(parsed("delete id1", kRunc).force);
    CHECK(parsed("ps --format table id1 -o pid --root x", kRunc).root.empty());
    CHECK(parsed("events --interval=5s id1", kRunc).id == "id1");
    CHECK(parsed("events --stats id1", kRunc).id == "id1");
    CHECK(parsed("checkpoint --image-path I --work-path W --status-fd 3 --leave-running id1", kRunc)
              .id == "id1");

    // conmon, with crun
    const RuntimeArgv conmon = parsed(
        "--systemd-cgroup --log-format=json --log L create --bundle /b --pid-file /p id1", kCrun);
    CHECK(conmon.bundle == "/b");
    CHECK(conmon.log == "L");
    CHECK(conmon.systemd_cgroup);
    CHECK(parsed("exec --pid-file F --process P --detach id1", kCrun).process_file == "P");
    CHECK(parsed("exec -dp P id1", kCrun).process_file == "P");
    CHECK(parsed("exec --tty -d id1", kCrun).id == "id1");
    CHECK(parsed("mounts add id1 FILE", kCrun).id == "id1");
}

TEST_CASE("what exec runs is not read as options") {
    for (const RuntimeKind kind : {kRunc, kCrun}) {
        const RuntimeArgv argv = parsed("exec -e A=1 id1 sh -p x --process y --bundle z", kind);
        CHECK(argv.id == "id1");
        CHECK_FALSE(argv.process_file);
        CHECK_FALSE(argv.bundle);
        CHECK_FALSE(argv.unknown_option);
    }
}
