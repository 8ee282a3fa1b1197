"""Which file is edited, for every way in which a low-level runtime can be told
of it, and for command lines that only look as if they told of one. Recording
runtimes; the bundles ask for a GPU, so an edit shows."""

import os
import shutil

from lib import process, product, simhost
from lib.bundle import Bundle, make_config
from lib.case import ContainerTest
from lib.recording import RecordingRuntime

BOTH = ("runc", "crun")
RUNC, CRUN = ("runc",), ("crun",)
NOTHING = None  # the runtime refuses that command line, or it names no bundle
# Refused for an option that a later release may know: whatever the shim makes of
# it, no other file than that of a command line without the option is edited.
AT_MOST = {"config.json"}

# Words after the program's name, runtimes, and the edited file; the working
# folder holds bundles at ./ and in one, two, rel/dir and create.
SPELLINGS = [
    (["create", "--bundle", "one", "id1"], BOTH, "one/config.json"),
    (["create", "--bundle=one", "id1"], BOTH, "one/config.json"),
    (["create", "-b", "one", "id1"], BOTH, "one/config.json"),
    (["create", "-b=one", "id1"], RUNC, "one/config.json"),
    (["create", "-b=one", "id1"], CRUN, NOTHING),  # a folder named "=one"
    (["create", "-bone", "id1"], CRUN, "one/config.json"),
    (["create", "-bone", "id1"], RUNC, AT_MOST),
    (["create", "-bundle", "one", "id1"], RUNC, "one/config.json"),
    (["create", "-bundle", "one", "id1"], CRUN, NOTHING),
    (["create", "--bun", "one", "id1"], CRUN, "one/config.json"),
    (["create", "--bun", "one", "id1"], RUNC, AT_MOST),
    (["create", "--b=one", "id1"], BOTH, "one/config.json"),
    (["create", "id1", "--bundle", "one"], RUNC, "one/config.json"),
    (["create", "id1", "--bundle", "one"], CRUN, NOTHING),
    (["create", "--bundle", "one", "--bundle", "two", "id1"], BOTH, "two/config.json"),
    (["create", "--bundle", "one", "--", "id1"], BOTH, "one/config.json"),
    (["create", "--bundle", "", "id1"], RUNC, "config.json"),
    (["create", "id1"], BOTH, "config.json"),
    (["create", "-b", "rel/dir", "id1"], BOTH, "rel/dir/config.json"),
    (["create", "--bundle", "one", "--config", "one/other.json", "id1"], CRUN, "one/other.json"),
    (["create", "-f", "./one/other.json", "-b", "one", "id1"], CRUN, "one/other.json"),
    (["create", "--config=one/other.json", "id1"], CRUN, "one/other.json"),
    # Relative to the working folder, not to the bundle: there is no such file.
    (["create", "--bundle", "one", "--config", "other.json", "id1"], CRUN, NOTHING),
    (["--root", "R", "run", "--bundle", "one", "id1"], BOTH, "one/config.json"),
    (["restore", "--bundle", "one", "id1"], BOTH, "one/config.json"),
    (["--root", "R", "run", "--bundle", "create", "id1"], BOTH, "create/config.json"),
    (["--root", "R", "create", "--bundle", "one", "--pid-file", "create", "create"], BOTH,
     "one/config.json"),
    (["--systemd-cgroup", "--root=R", "create", "--bundle", "one", "id1"], BOTH,
     "one/config.json"),
    (["--cgroup-manager", "systemd", "--root", "R", "create", "--bundle", "one", "id1"], CRUN,
     "one/config.json"),
    (["--debug", "create", "--bundle", "one", "id1"], BOTH, "one/config.json"),
    (["--log", "state", "--log-format", "json", "create", "--bundle", "one", "id1"], BOTH,
     "one/config.json"),
    # "create" that is no verb.
    (["--root", "R", "state", "create"], BOTH, NOTHING),
    (["--root", "R", "delete", "--force", "create"], BOTH, NOTHING),
    (["--root", "R", "kill", "create", "9"], BOTH, NOTHING),
    (["--root", "R", "exec", "--process", "p.json", "create"], BOTH, NOTHING),
    (["--log", "create", "--root", "R", "start", "id1"], BOTH, NOTHING),
    (["--root", "create", "list"], BOTH, NOTHING),
    (["update", "--resources", "-", "create"], BOTH, NOTHING),
]

FILES = ("config.json", "one/config.json", "one/other.json", "two/config.json",
         "rel/dir/config.json", "create/config.json")


class ArgumentsTest(ContainerTest):
    def setUp(self):
        super().setUp()
        host = simhost.make_amd_host(self.work / "host")
        self.runtimes, self.configs = {}, {}
        for name in BOTH:
            self.runtimes[name] = RecordingRuntime(self.work / name, name)
            self.configs[name] = product.configure(
                self.work / f"{name}.toml", host_root=host.root, probe="off",
                runtimes=[self.runtimes[name].path])
        config = make_config(rootfs="/nowhere", args=["true"], env=["AMD_VISIBLE_DEVICES=0"])
        self.folder = self.work / "cwd"
        self.fresh = lambda: [Bundle((self.folder / file).parent, config, os.path.basename(file))
                              for file in FILES]

    def check_row(self, words, name, expected):
        # A container that was made keeps its runtime: no row may see another's.
        for folder in (self.folder, product.STATE):
            shutil.rmtree(folder, ignore_errors=True)
        bundles = self.fresh()
        self.runtimes[name].forget()
        ended = process.run([product.shim(), *words], cwd=self.folder, stdin=b"input",
                            env=product.environment_for(self.configs[name]))
        call = self.runtimes[name].only_call()
        self.assert_succeeded(ended)
        self.assertEqual((ended.out, call.words, call.stdin), (b"", words, b"input"))
        edited = [file for file, bundle in zip(FILES, bundles)
                  if bundle.bytes() != bundle.original]
        if expected is AT_MOST:
            self.assertTrue(set(edited) <= AT_MOST, edited)
        else:
            self.assertEqual(edited, [expected] if expected else [])

    def test_spellings(self):
        for words, names, expected in SPELLINGS:
            for name in names:
                with self.subTest(words=" ".join(words), runtime=name):
                    self.check_row(words, name, expected)

    def test_exit_status_of_the_runtime_comes_back(self):
        self.runtimes["runc"].answer(status=23, err="its own words\n")
        self.fresh()
        ended = process.run([product.shim(), "create", "id1"], cwd=self.folder,
                            env=product.environment_for(self.configs["runc"]))
        self.assertEqual((ended.status, ended.out, ended.err), (23, b"", b"its own words\n"))
