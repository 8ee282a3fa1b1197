#include "app/settings.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "in_child.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;
using request::EnvironmentPolicy;

namespace {

LoadedSettings load(const std::string& text) {
    test::TempFolder folder;
    folder.file("config.toml", text);
    ::chmod((folder / "config.toml").c_str(), 0644);
    return load_settings(folder / "config.toml");
}

// "" or the error without the folder's name.
std::string error_of(const std::string& text) {
    const LoadedSettings loaded = load(text);
    if (!loaded.error) return "";
    const std::string whole = loaded.error->text();
    const std::size_t name = whole.find("config.toml");
    return name == whole.npos ? whole : whole.substr(0, whole.find('/')) + whole.substr(name);
}

}  // namespace

TEST_CASE("a missing file means the defaults") {
    test::TempFolder folder;
    folder.file("file");
    for (const char* path : {"nowhere.toml", "no/folder.toml", "file/below.toml"}) {
        CAPTURE(path);
        const LoadedSettings loaded = load_settings(folder / path);
        CHECK_FALSE(loaded.error);
        CHECK(loaded.settings == Settings{});
    }
    CHECK(load("").settings == Settings{});
    CHECK_FALSE(load("").error);
}

TEST_CASE("every key sets what it names and nothing else") {
    const auto with = [](auto change) {
        Settings settings;
        change(settings);
        return settings;
    };
    const struct {
        const char* text;
        Settings expected;
    } cases[] = {
        {"host-root = \"/srv/host\"", with([](Settings& s) { s.host_root = "/srv/host"; })},
        {"inject = false", with([](Settings& s) { s.inject = false; })},
        {"[runtime]\npaths = [\"/opt/a\", \"/opt/b\"]",
         with([](Settings& s) { s.runtime_paths = {"/opt/a", "/opt/b"}; })},
        {"[selection]\nenvironment = \"allow\"",
         with([](Settings& s) { s.environment = EnvironmentPolicy::Allow; })},
        {"[selection]\nenvironment = \"privileged\"",
         with([](Settings& s) { s.environment = EnvironmentPolicy::Privileged; })},
        {"[selection]\nenvironment = \"deny\"",
         with([](Settings& s) { s.environment = EnvironmentPolicy::Deny; })},
        {"[selection]\ntrusted-namespaces = []",
         with([](Settings& s) { s.trusted_namespaces.clear(); })},
        {"[selection]\ntrusted-namespaces = [\"gpu-operator\", \"x\"]",
         with([](Settings& s) { s.trusted_namespaces = {"gpu-operator", "x"}; })},
        {"[probe]\npolicy = \"warn\"", with([](Settings& s) { s.probe_policy = ProbePolicy::Warn; })},
        {"[probe]\npolicy = \"off\"", with([](Settings& s) { s.probe_policy = ProbePolicy::Off; })},
        {"[probe]\nlevel = \"access\"",
         with([](Settings& s) { s.probe_level = ProbeLevel::Access; })},
        {"[probe]\ntimeout = 1", with([](Settings& s) { s.probe_timeout = std::chrono::seconds(1); })},
        {"[probe]\ntimeout = 90",
         with([](Settings& s) { s.probe_timeout = std::chrono::seconds(90); })},
        {"[probe]\nmin-gflops = 100", with([](Settings& s) { s.min_gflops = 100; })},
        {"[probe]\nmin-gflops = \"auto\"", with([](Settings& s) { s.min_gflops = 0; })},
        {"[probe]\nmin-fraction-of-peak = 0.5",
         with([](Settings& s) { s.min_fraction_of_peak = 0.5; })},
        {"[probe]\namd-runtime = \"hip\"", with([](Settings& s) { s.probe_by_hip = true; })},
        {"[probe]\nby-container = true",
         with([](Settings& s) { s.probe_by_container = true; })},
        {"[probe.verdicts]\nslow = \"fail\"\nwrong-result = \"warn\"", with([](Settings& s) {
             s.verdicts.set(probe::Outcome::Slow, true);
             s.verdicts.set(probe::Outcome::WrongResult, false);
         })},
        {"[warnings]\nshm = false", with([](Settings& s) { s.warnings.shm = false; })},
        {"[warnings]\nmemlock = false", with([](Settings& s) { s.warnings.memlock = false; })},
        {"[log]\nfile = \"\"", with([](Settings& s) { s.log_file = ""; })},
        {"[log]\nfile = \"/x\"", with([](Settings& s) { s.log_file = "/x"; })},
        {"[log]\nlevel = \"debug\"", with([](Settings& s) { s.log_level = "debug"; })},
        {"[log]\nsystem = false", with([](Settings& s) { s.log_to_system = false; })},
        {"log.level = \"error\"", with([](Settings& s) { s.log_level = "error"; })},
        {"probe = { policy = \"warn\" }",
         with([](Settings& s) { s.probe_policy = ProbePolicy::Warn; })},
        // The words for the defaults are words too.
        {"[selection]\nenvironment = \"auto\"\n[probe]\npolicy = \"fail\"\nlevel = \"compute\"",
         Settings{}},
        {"# a comment\n   # [probe]\n\n[probe] # timeout = 5\n", Settings{}},
        {"\xef\xbb\xbf[log]\r\nlevel = \"warn\"\r\n",
         with([](Settings& s) { s.log_level = "warn"; })},
    };
    for (const auto& row : cases) {
        CAPTURE(row.text);
        const LoadedSettings loaded = load(row.text);
        CHECK_FALSE(loaded.error);
        CHECK(loaded.settings == row.expected);
    }
}

TEST_CASE("mistakes are named by file, line and key") {
    const struct {
        const char* text;
        const char* error;
    } cases[] = {
        // unknown keys
        {"verbose = true", "GTY-101: config.toml, line 1: unknown key verbose"},
        {"\n# c\n[probe]\npolcy = \"fail\"", "GTY-101: config.toml, line 4: unknown key probe.polcy"},
        {"[prob]\npolicy = \"fail\"", "GTY-101: config.toml, line 1: unknown key prob"},
        {"[runtime.crun]\nx = 1", "GTY-101: config.toml, line 1: unknown key runtime.crun"},
        {"[probe]\nhost-root = \"/\"", "GTY-101: config.toml, line 2: unknown key probe.host-root"},
        {"\"a\\nb\" = 1", "GTY-101: config.toml, line 1: unknown key a\\x0ab"},
        // wrong types and values
        {"host-root = 1", "GTY-101: config.toml, line 1: host-root must be an absolute path"},
        {"host-root = \"relative\"", "config.toml, line 1: host-root must be an absolute path"},
        {"host-root = \"\"", "config.toml, line 1: host-root must be an absolute path"},
        {"[runtime]\npaths = \"/usr/bin/runc\"",
         "config.toml, line 2: runtime.paths must be a list of absolute paths"},
        {"[runtime]\npaths = []", "runtime.paths must be a list"},
        {"[runtime]\npaths = [\"/a\", 1]", "runtime.paths must be a list"},
        {"[runtime]\npaths = [\"/a\", \"runc\"]", "runtime.paths must be a list"},
        {"[selection]\nenvironment = true",
         "line 2: selection.environment must be one of \"auto\" \"allow\" \"privileged\" \"deny\""},
        {"[selection]\nenvironment = \"Auto\"", "selection.environment must be one of"},
        {"inject = \"no\"", "line 1: inject must be true or false"},
        {"[selection]\ntrusted-namespaces = \"kube-system\"",
         "selection.trusted-namespaces must be a list of names of Kubernetes namespaces"},
        {"[selection]\ntrusted-namespaces = [\"Kube\"]", "must be a list of names"},
        {"[selection]\ntrusted-namespaces = [\"a\", \"-b\"]", "must be a list of names"},
        {"[selection]\ntrusted-namespaces = [\"*\"]", "must be a list of names"},
        {"[probe]\npolicy = \"strict\"", "probe.policy must be one of \"fail\" \"warn\" \"off\""},
        {"[probe]\nlevel = \"gemm\"", "probe.level must be one of \"access\" \"compute\""},
        {"[probe]\ntimeout = 0", "probe.timeout must be a whole number from 1 to 90"},
        {"[probe]\ntimeout = 91", "probe.timeout must be a whole number from 1 to 90"},
        {"[probe]\ntimeout = \"20\"", "probe.timeout must be a whole number"},
        {"[probe]\ntimeout = 20.0", "probe.timeout must be a whole number"},
        {"[probe]\nmin-gflops = 99",
         "probe.min-gflops must be \"auto\", or a whole number from 100 to 1000000"},
        {"[probe]\nmin-gflops = \"500\"", "probe.min-gflops must be \"auto\""},
        {"[probe]\nmin-fraction-of-peak = 1.5", "must be a number from 0.0 to 1.0"},
        {"[probe]\nmin-fraction-of-peak = -0.1", "must be a number from 0.0 to 1.0"},
        {"[probe]\namd-runtime = \"rocm\"", "probe.amd-runtime must be one of \"hsa\" \"hip\""},
        {"[probe.verdicts]\nslow = true", "probe.verdicts.slow must be \"fail\" or \"warn\""},
        {"[probe.verdicts]\nslow = \"off\"", "probe.verdicts.slow must be \"fail\" or \"warn\""},
        {"[probe.verdicts]\npass = \"fail\"", "unknown key probe.verdicts.pass"},
        {"[probe]\nverdicts = \"warn\"",
         "probe.verdicts must be a section: [probe.verdicts]"},
        {"[warnings]\nshm = 64", "warnings.shm must be true or false"},
        {"[log]\nfile = \"gantry.log\"", "log.file must be an absolute path"},
        {"[log]\nlevel = \"trace\"", "log.level must be one of"},
        {"[log]\nsystem = \"yes\"", "log.system must be true or false"},
        {"[log]\nlevel = [\"info\"]", "log.level must be one of"},
        {"probe = 5", "line 1: probe must be a section: [probe]"},
        {"[[log]]\nlevel = \"info\"", "line 1: log must be a section: [log]"},
        // the first of several, by line
        {"[selection]\nbad = 1\n[probe]\nbad = 2\n[log]\nbad = 3", "line 2: unknown key selection.bad"},
        // no TOML
        {"[probe\npolicy = 1", "GTY-101: config.toml, line 1: not TOML: "},
        {"\n\nprobe.policy \"fail\"", "config.toml, line 3: not TOML: "},
        {"[probe]\ntimeout = 5\ntimeout = 6", "config.toml, line 3: not TOML: "},
        {"[probe]\n[probe]", "config.toml, line 2: not TOML: "},
        {"a = \"\xff\"", "config.toml, line 1: not TOML: "},
        {"{}", "config.toml, line 1: not TOML: "},
        {"\n[!]", "config.toml, line 2: not TOML: "},
    };
    for (const auto& row : cases) {
        CAPTURE(row.text);
        const std::string error = error_of(row.text);
        CAPTURE(error);
        CHECK(error.find(row.error) != std::string::npos);
        CHECK(error.size() > 8 + std::string(row.error).size());  // and a remedy
    }
    CHECK(error_of("x = " + std::string(100'000, '[')).find("not TOML") != std::string::npos);
}

TEST_CASE("what can be read of a file with a mistake counts") {
    // An unknown key does not take the others away …
    const LoadedSettings loaded =
        load("[runtime]\npaths = [\"/opt/runc\"]\n[probe]\npolcy = \"off\"\ntimeout = 5");
    REQUIRE(loaded.error);
    CHECK(loaded.settings.runtime_paths == std::vector<std::string>{"/opt/runc"});
    CHECK(loaded.settings.probe_timeout == std::chrono::seconds(5));
    // … nor does a wrong value change anything.
    CHECK(load("[runtime]\npaths = [\"/a\", 1]").settings == Settings{});
    CHECK(load("[probe]\ntimeout = 100").settings == Settings{});
}

TEST_CASE("a file that is not TOML still names the low-level runtime") {
    Settings expected;
    expected.runtime_paths = {"/opt/runc", "/opt/crun"};
    const std::string runtime = "[runtime]\npaths = [\n  \"/opt/runc\",\n  \"/opt/crun\",\n]\n";
    for (const std::string& text :
         {"[probe]\npolicy = fail\n" + runtime, runtime + "[log]\nlevel \"info\"\n",
          "host-root = /\n  " + runtime + "[log]\n", runtime + "[probe\n"}) {
        CAPTURE(text);
        const LoadedSettings loaded = load(text);
        REQUIRE(loaded.error);
        CHECK(loaded.error->message.find("not TOML") != std::string::npos);
        CHECK(loaded.settings == expected);
    }
    for (const char* text : {"[runtime]\npaths = [\"/opt/runc\"", "[runtime\npaths = [\"/opt/runc\"]",
                             "x\n[runtime]\npaths = [\"runc\"]", "x\n[runtime]\n", "x\n[runtime2]\n"}) {
        CAPTURE(text);
        CHECK(load(text).settings == Settings{});
    }
}

TEST_CASE("a file that others can write is not used at all") {
    test::TempFolder folder;
    folder.file("config.toml", "[runtime]\npaths = [\"/tmp/evil\"]");
    const std::string path = folder / "config.toml";
    folder.link("link.toml", "config.toml");
    for (const mode_t mode : {0666, 0664, 0646, 0622}) {
        CAPTURE(mode);
        ::chmod(path.c_str(), mode);
        for (const std::string& name : {path, folder / "link.toml"}) {
            const LoadedSettings loaded = load_settings(name);
            REQUIRE(loaded.error);
            CHECK(loaded.error->code == Code::ConfigUnsafe);
            CHECK(loaded.error->text().find("chmod 644 " + name) != std::string::npos);
            CHECK(loaded.settings == Settings{});
        }
    }
    ::chmod(path.c_str(), 0600);
    CHECK_FALSE(load_settings(path).error);
    if (::geteuid() != 0) {
        WARN("not root: a file of another owner is not tried");
        return;
    }
    REQUIRE(::chown(path.c_str(), 1234, 0) == 0);
    CHECK(load_settings(path).error->code == Code::ConfigUnsafe);
    // Without root only the own user's and root's files are safe.
    REQUIRE(::chown(path.c_str(), 65534, 0) == 0);
    ::chmod(folder.path().c_str(), 0755);
    CHECK(test::as_nobody([&] { return load_settings(path).error ? "error" : "used"; }) == "used");
}

TEST_CASE("what is no readable file of a sane size is an error and never blocks") {
    test::TempFolder folder;
    folder.folder("folder").link("zero", "/dev/zero").link("loop", "loop");
    folder.file("big", std::string((1U << 20) + 1, '#')).file("sparse").file("private", "x = 1");
    ::mkfifo((folder / "fifo").c_str(), 0600);
    REQUIRE(::truncate((folder / "sparse").c_str(), off_t{1} << 40) == 0);
    for (const char* name : {"folder", "zero", "loop", "big", "sparse", "fifo"}) {
        CAPTURE(name);
        const LoadedSettings loaded = load_settings(folder / name);
        REQUIRE(loaded.error);
        CHECK(loaded.error->code == Code::ConfigInvalid);
        CHECK(loaded.error->message.starts_with(folder / name));
        CHECK(loaded.settings == Settings{});
    }
    ::chmod((folder / "private").c_str(), 0600);
    ::chmod(folder.path().c_str(), 0755);
    const std::string text =
        test::as_nobody([&] { return load_settings(folder / "private").error->text(); });
    CHECK(text.find("EACCES") != std::string::npos);
    CHECK(text.find("ermission denied") == std::string::npos);
}

TEST_CASE("where the file is") {
    CHECK(config_path({}) == "/etc/gantry/config.toml");
    CHECK(config_path({"GANTRY_CONFIG="}) == "/etc/gantry/config.toml");
    CHECK(config_path({"GANTRY_CONFIG_X=/a", "XGANTRY_CONFIG=/b"}) == "/etc/gantry/config.toml");
    CHECK(config_path({"A=1", "GANTRY_CONFIG=/a b"}) == "/a b");
    CHECK(config_path({"GANTRY_CONFIG=relative"}) == "relative");
    const LoadedSettings loaded = load_settings("rel\native.toml");
    REQUIRE(loaded.error);
    CHECK(loaded.error->text().starts_with(
        "GTY-101: GANTRY_CONFIG=\"rel\\x0aative.toml\" is no absolute path"));
    CHECK(loaded.settings == Settings{});
}

TEST_CASE("the words of the check's policy") {
    CHECK(parse_probe_policy("fail") == ProbePolicy::Fail);
    CHECK(parse_probe_policy("warn") == ProbePolicy::Warn);
    CHECK(parse_probe_policy("off") == ProbePolicy::Off);
    for (const char* text : {"", "Fail", "off ", "true", "0"}) CHECK_FALSE(parse_probe_policy(text));
}

TEST_CASE("the shipped file names every key with its built-in default") {
    const std::string path = std::string(GANTRY_FIXTURES) + "/../../config/config.toml";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    // A copy: the tree may be writable for the group of whoever builds it.
    const LoadedSettings loaded = load(text.str());
    if (loaded.error) FAIL(loaded.error->text());
    CHECK(loaded.settings == Settings{});

    std::vector<std::string> named;
    std::string section;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1) + ".";
        const std::size_t equals = line.find(" = ");
        if (!line.starts_with('#') && equals != line.npos)
            named.push_back(section + line.substr(0, equals));
    }
    CHECK(named == setting_names());
}
