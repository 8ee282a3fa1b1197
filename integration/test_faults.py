"""Every write, rename, flush, lock, fork and exec of the shim fails once, or the shim
is killed at it, for requests to each simulated host. config.json is then the old or
the new one, whole, and nothing else stays."""

import pathlib
import re
import shutil

from lib import environment, machine, process, product
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config
from lib.case import ContainerTest
from lib.recording import RecordingRuntime

CALLS = {  # name: the errors it is given
    "write": ("ENOSPC", "EIO", "EINTR"),
    "renameat": ("ENOSPC", "EIO"),
    "fsync": ("EIO",),
    "fchmod": ("EPERM",),
    "mkdir": ("ENOSPC",),
    "flock": ("EINTR",),
    "execve": ("EIO", "ENOMEM"),
}
# What every plan is tried with; the rest does not depend on the plan.
FEW = {"write": ("ENOSPC",), "renameat": ("EIO",)}
PLANS = {
    "rx-6700-xt-raphael": ["AMD_VISIBLE_DEVICES=all", "AMD_VISIBLE_DEVICES=0"],
    "rx-7900-xtx": ["AMD_VISIBLE_DEVICES=all"],
    "mi300x-8-spx": ["AMD_VISIBLE_DEVICES=all", "AMD_VISIBLE_DEVICES=2,5"],
    "h100-8": ["NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=none",
               "NVIDIA_VISIBLE_DEVICES=1"],
    "mixed-amd-nvidia": ["AMD_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=all"],
}
FORKS = ("clone", "clone3", "fork", "vfork")
STATE = pathlib.Path(product.STATE)


def left_in(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*")
                  if not path.is_dir())


class FaultTest(ContainerTest):
    seconds = 240

    def setUp(self):
        super().setUp()
        self.strace = machine.need_program("strace")
        self.recorder = RecordingRuntime(self.work / "bin", "runc")

    def prepare(self, host, entry):
        """The create without a fault: what it writes, and how often it calls what."""
        self.settings = product.configure(
            self.work / "config.toml", host_root=environment.FIXTURES / host, probe="off",
            runtimes=[self.recorder.path], log=self.work / "gantry.log")
        self.config = make_config(rootfs="/nowhere", args=["true"], env=[entry], uid=1000)
        self.assert_succeeded(self.create("--trace=" + ",".join(CALLS)))
        self.new = self.bundle.bytes()
        self.assertNotEqual(self.new, self.bundle.original)
        self.kept = left_in(self.bundle.path)
        lines = (self.work / "trace").read_text().splitlines()
        names = [match[1] for match in (re.match(r"(\w+)\(", line) for line in lines) if match]
        end = [place for place, name in enumerate(names) if name == "execve"][1]
        return {name: names[:end + 1].count(name) for name in CALLS}

    def create(self, *options, fresh=True):
        if fresh:
            shutil.rmtree(STATE, ignore_errors=True)
            shutil.rmtree(self.work / "bundle", ignore_errors=True)
            self.bundle = Bundle(self.work / "bundle", self.config)
        self.recorder.forget()
        argv = [product.shim(), "create", "--bundle", str(self.bundle.path), "id1"]
        if options:
            argv = [self.strace, "-o", str(self.work / "trace"), *options, *argv]
        return process.run(argv, env=product.environment_for(self.settings), timeout=30)

    def records(self):
        folder = STATE / "containers"
        return left_in(folder) if folder.is_dir() else []

    def fail_once(self, name, number, error):
        ended = self.create(f"--inject={name}:error={error}:when={number}")
        what = f"{name} {number} {error}\n{ended}"
        if ended.status == 0:  # borne, or tried again
            self.assertEqual(self.bundle.bytes(), self.new, what)
            self.assertEqual(len(self.recorder.calls()), 1, what)
            self.assertEqual(left_in(self.bundle.path), self.kept, what)
            self.assertEqual(len(self.records()), 1, what)
            return
        self.assertIn(b"GTY-", ended.err, what)
        self.assertEqual(self.recorder.calls(), [], what)
        self.assertEqual(self.bundle.bytes(), self.bundle.original, what)
        self.assertEqual(left_in(self.bundle.path), ["config.json"], what)
        self.assertEqual(self.records(), [], what)

    def kill_once(self, name, number):
        """Nobody can clean up then; the next create finds its way all the same."""
        ended = self.create(f"--inject={name}:signal=KILL:when={number}")
        what = f"{name} {number} KILL\n{ended}"
        self.assertNotEqual(ended.status, 0, what)
        self.assertIn(self.bundle.bytes(), (self.bundle.original, self.new), what)
        again = self.create(fresh=False)
        self.assertEqual(again.status, 0, f"{what}\n{again}")
        self.assertEqual(self.bundle.bytes(), self.new, what)
        whole = [path for path in self.records() if not path.startswith(".")]
        self.assertEqual(len(whole), 1, what)

    def test_every_call(self):
        for host, entry in (("rx-6700-xt-raphael", "AMD_VISIBLE_DEVICES=0"),
                            ("h100-8", "NVIDIA_VISIBLE_DEVICES=all")):
            counts = self.prepare(host, entry)
            for name, errors in CALLS.items():
                first = 2 if name == "execve" else 1  # the first one is strace's own
                self.assertGreaterEqual(counts[name], first, name)
                for number in range(first, counts[name] + 1):
                    for error in errors:
                        self.fail_once(name, number, error)
                    if name not in ("mkdir", "execve"):
                        self.kill_once(name, number)

    def test_every_plan(self):
        for host, entries in PLANS.items():
            for entry in entries:
                counts = self.prepare(host, entry)
                for name, errors in FEW.items():
                    for number in range(1, counts[name] + 1):
                        for error in errors:
                            self.fail_once(name, number, error)


class CheckFaultTest(BareTest):
    """What starts the check fails."""

    program = "runc"
    calls = {"memfd_create": "EMFILE", "pipe2": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN",
             "fork": "EAGAIN", "vfork": "EAGAIN", "rename": "EIO", "renameat": "EIO",
             "write": "ENOSPC", "poll": "EINTR", "execve": "EIO"}

    def setUp(self):
        super().setUp()
        self.strace = machine.need_program("strace")
        self.amd_host(log=self.work / "gantry.log")

    def create(self, *options):
        self.config = self.bundle("--wait", env=["AMD_VISIBLE_DEVICES=0"], name="bundle")
        shim = self.runtime.program
        launcher = self.work / "traced"
        launcher.write_text("#!/bin/sh\nexec " + " ".join(
            [self.strace, "-o", str(self.work / "trace"), *options, shim]) + ' "$@"\n')
        launcher.chmod(0o755)
        self.runtime.program = str(launcher)
        try:
            return self.runtime.create(self.config, "c1")
        finally:
            self.runtime.program = shim

    def counts(self):
        self.assert_succeeded(self.create("--trace=" + ",".join(self.calls)))
        self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))
        lines = (self.work / "trace").read_text().splitlines()
        names = [match[1] for match in (re.match(r"(\w+)\(", line) for line in lines) if match]
        end = [place for place, name in enumerate(names) if name == "execve"][1]
        counts = {name: names[:end].count(name) for name in self.calls}
        self.assertGreater(sum(counts[name] for name in FORKS), 0, names)
        return counts

    def clean(self):
        if self.runtime.state("c1"):
            self.assert_succeeded(self.runtime.call("delete", "--force", "c1"))
        shutil.rmtree(self.config.path)

    def test_errors(self):
        counts = self.counts()
        self.clean()
        before = self.snapshot(self.root)
        for name, error in self.calls.items():
            first = 2 if name == "execve" else 1
            for number in range(first, counts[name] + 1):
                with self.subTest(f"{name} {number}"):
                    ended = self.create(f"--inject={name}:error={error}:when={number}")
                    if ended.status != 0:
                        self.assertEqual(self.config.bytes(), self.config.original, str(ended))
                    self.clean()
                    shutil.rmtree(STATE / "failures", ignore_errors=True)
                    self.assert_nothing_left(before)

    def test_kill(self):
        """The next create ends what the killed one began."""
        counts = self.counts()
        self.clean()
        before = self.snapshot(self.root)
        for name in (*FORKS, "poll", "renameat"):
            for number in range(1, counts[name] + 1):
                with self.subTest(f"{name} {number}"):
                    self.create(f"--inject={name}:signal=KILL:when={number}")
                    self.assertIn(b"{", self.config.bytes())
                    self.clean()  # how often it polls differs: the call may not have come
                    self.assert_succeeded(self.create())
                    self.clean()
                    shutil.rmtree(STATE / "failures", ignore_errors=True)
                    for stale in STATE.glob("containers/.*"):
                        stale.unlink()
                    self.assert_nothing_left(before)
