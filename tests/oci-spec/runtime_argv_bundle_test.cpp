#include "catch.hpp"
#include "command_line.hpp"

using namespace gantry::oci;

namespace {

const std::optional<std::string> kCwd;

}  // namespace

TEST_CASE("every spelling of the bundle option is read as the low-level runtime reads it") {
    struct Row {
        const char* line;
        std::optional<RuntimeKind> kind;  // nullopt: both
        std::optional<std::string> bundle;
    };
    const Row rows[] = {
        {"create --bundle DIR id1", {}, "DIR"},
        {"create --bundle=DIR id1", {}, "DIR"},
        {"create -b DIR id1", {}, "DIR"},
        {"create -b=DIR id1", kRunc, "DIR"},
        {"create -b=DIR id1", kCrun, "=DIR"},
        {"create -bDIR id1", kCrun, "DIR"},
        {"create -bundle DIR id1", kRunc, "DIR"},
        {"create -bundle=DIR id1", kRunc, "DIR"},
        {"create -bundle id1", kCrun, "undle"},
        {"create --bun DIR id1", kCrun, "DIR"},
        {"create --bun=DIR id1", kCrun, "DIR"},
        {"create --b DIR id1", {}, "DIR"},
        {"create --b=DIR id1", {}, "DIR"},
        {"create id1 --bundle DIR", kRunc, "DIR"},
        {"create id1 --no-pivot -b DIR", kRunc, "DIR"},
        {"create --no-pivot id1 --bundle DIR", kRunc, "DIR"},
        {"create --bundle ONE --bundle TWO id1", {}, "TWO"},
        {"create --bundle ONE -b TWO id1", {}, "TWO"},
        {"create --bundle DIR -- id1", {}, "DIR"},
        {"create --bundle '' id1", kRunc, kCwd},
        {"create --bundle= id1", kRunc, kCwd},
        {"create --bundle ONE --bundle= id1", kRunc, kCwd},
        {"create --bundle A=B id1", {}, "A=B"},
        {"create --bundle=A=B id1", {}, "A=B"},
        {"create id1", {}, kCwd},
        {"create -b rel/dir id1", {}, "rel/dir"},
        {"create --bundle -- id1", {}, "--"},
        {"create --bundle --no-pivot id1", {}, "--no-pivot"},
        {"run -d --bundle DIR id1", {}, "DIR"},
        {"run -db DIR id1", kCrun, "DIR"},
        {"run -dbDIR id1", kCrun, "DIR"},
        {"create --preserve-fds 1 --console-socket S --pid-file P -b DIR id1", {}, "DIR"},
        {"create --pidfd-socket S -b DIR id1", kRunc, "DIR"},
        {"create --program-name x -b DIR id1", kCrun, "DIR"},
    };
    for (const Row& row : rows)
        for (const RuntimeKind kind : {kRunc, kCrun}) {
            if (row.kind && *row.kind != kind) continue;
            CAPTURE(row.line, kind == kCrun);
            const RuntimeArgv argv = parsed(row.line, kind);
            CHECK(argv.bundle == row.bundle);
            CHECK(argv.id == "id1");
            CHECK_FALSE(argv.usage_error);
            CHECK_FALSE(argv.unknown_option);
        }
}

TEST_CASE("what no version accepts is a usage error") {
    struct Row {
        const char* line;
        std::optional<RuntimeKind> kind;
    };
    const Row rows[] = {
        {"create", {}},
        {"create id1 id2", {}},
        {"create --bundle", {}},
        {"create -b", {}},
        {"create id1 --bundle", {}},
        {"--root", {}},
        {"create id1 --bundle DIR", kCrun},
        {"create -- id1 --bundle DIR", {}},
        {"create id1 -- --bundle DIR", {}},
        {"create --bundle= id1", kCrun},
        {"create --bundle '' id1", kCrun},
        {"create -f '' id1", kCrun},
        {"create --no-pivot=true id1", kCrun},
        {"--systemd-cgroup=false create id1", kCrun},
        {"create --no-pivot=maybe id1", kRunc},
        {"create --no id1", kCrun},  // ambiguous
        {"create --p 1 id1", kCrun},
        {"create --con=x id1", kCrun},
        {"create ---bundle X id1", kRunc},
        {"create --=X id1", kRunc},
        {"create --help id1", {}},
        {"create -h", kRunc},
        {"create -?", kCrun},
        {"run --usage", kCrun},
        {"exec --help id1", {}},
    };
    for (const Row& row : rows)
        for (const RuntimeKind kind : {kRunc, kCrun}) {
            if (row.kind && *row.kind != kind) continue;
            CAPTURE(row.line, kind == kCrun);
            CHECK(parsed(row.line, kind).usage_error);
        }
    CHECK_FALSE(parsed("create --help=false id1", kRunc).usage_error);
}

TEST_CASE("an option that is not known here does not hide the bundle") {
    for (const RuntimeKind kind : {kRunc, kCrun})
        for (const char* line :
             {"--new-global create --bundle B id1", "--new-global value create --bundle B id1",
              "--new-global=value create --bundle B id1", "create --new-flag --bundle B id1",
              "create --new-value=x --bundle B id1"}) {
            CAPTURE(line, kind == kCrun);
            const RuntimeArgv argv = parsed(line, kind);
            CHECK(argv.verb == "create");
            CHECK(argv.id == "id1");
            CHECK(argv.bundle == "B");
            CHECK(argv.unknown_option);
            CHECK_FALSE(argv.usage_error);
        }
    const RuntimeArgv argv = parsed("create --bundle B --new-value x id1", kRunc);
    CHECK(argv.id == "id1");
    CHECK(argv.unknown_option);
    CHECK_FALSE(argv.usage_error);
    CHECK(parsed("--cgroup-manager systemd create --bundle B id1", kRunc).bundle == "B");
    CHECK(parsed("create -xb DIR id1", kCrun).unknown_option);
}

TEST_CASE("crun's other config file") {
    struct Row {
        const char* line;
        std::optional<std::string> config;
        std::optional<std::string> bundle;
    };
    const Row rows[] = {
        {"create --bundle B --config B/other.json id1", "B/other.json", "B"},
        {"create -f ./B/other.json -b B id1", "./B/other.json", "B"},
        {"create -fother.json id1", "other.json", kCwd},
        {"create --config=other.json id1", "other.json", kCwd},
        {"create --conf other.json id1", "other.json", kCwd},
        {"create --bundle B --config other.json id1", "other.json", "B"},
        // crun looks this one name up in the bundle, not in the working directory.
        {"create --bundle B --config config.json id1", {}, "B"},
        {"create --bundle B --config ./config.json id1", "./config.json", "B"},
        {"run -df other.json id1", "other.json", kCwd},
        {"create --bundle B id1", {}, "B"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const RuntimeArgv argv = parsed(row.line, kCrun);
        CHECK(argv.config_file == row.config);
        CHECK(argv.bundle == row.bundle);
        CHECK(argv.id == "id1");
        CHECK_FALSE(argv.usage_error);
    }
    // -f is something else where the verb is another.
    CHECK_FALSE(parsed("delete -f id1", kCrun).config_file);
    CHECK(parsed("delete -f id1", kCrun).force);
    CHECK(parsed("list -f json", kCrun).id.empty());
}
