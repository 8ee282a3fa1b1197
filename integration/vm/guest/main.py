"""The tests of this folder, in this machine; the exit status is theirs.

    main.py                    all, in PHASES
    main.py --group NAME…      those named as unittest does, in this process

What one phase lists runs at the same time, each group in a process of its own,
since most of a test is waiting for engines. The phases differ in what the whole
machine has: which host gantry sees, who may open the nodes.
"""

import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import engines  # noqa: E402
import host  # noqa: E402
from lib import environment  # noqa: E402

DOCKER, PODMAN, USERS = "test_docker.Docker", "test_podman.Podman", "test_podman.Rootless"
PHASES = (
    # what the machine has, and the groups
    (lambda: host.use_simulated(mode=0o660),
     [[f"{DOCKER}RuncTest", f"{DOCKER}CrunTest"],
      [f"{PODMAN}RuncTest", f"{PODMAN}CrunTest", "test_podman.KeptGroupsTest"]]),
    (lambda: host.use_simulated(mode=0o666),
     [[f"{USERS}RuncTest"], [f"{USERS}CrunTest"]]),
    (host.use_real,
     [["test_real_host.DockerTest"], ["test_real_host.PodmanTest"]]),
)


class LineResult(unittest.TestResult):
    """A whole line for each test, when it ends: groups write to one console, and
    the machine may be stopped before its end."""

    def startTest(self, test):
        super().startTest(test)
        self.begin, self.what, self.text = time.monotonic(), "ok", ""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.what, self.text = "skipped", reason + "\n"

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.what, self.text = "FAILED", self.failures[-1][1]

    def addError(self, test, err):
        super().addError(test, err)
        self.what, self.text = "FAILED", self.errors[-1][1]
        if not hasattr(self, "begin"):  # of a class or module, not of a test
            self.begin = time.monotonic()
            self.stopTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        seconds = time.monotonic() - self.begin
        os.write(1, f"{self.what:7} {seconds:5.1f} s  {test.id()}\n{self.text}".encode())


def run_group(names):
    result = LineResult()
    unittest.defaultTestLoader.loadTestsFromNames(names).run(result)
    return not result.testsRun or not result.wasSuccessful() or \
        (environment.MUST_WORK and bool(result.skipped))


def run_phase(groups, wanted):
    """How many groups failed."""
    running = []
    for names in groups:
        names = [name for name in names if not wanted or name in wanted]
        if names:
            running.append(subprocess.Popen([sys.executable, "-B", __file__, "--group", *names],
                                            stdin=subprocess.DEVNULL))
    return sum(group.wait() != 0 for group in running)


def main(words):
    if words[:1] == ["--group"]:
        return run_group(words[1:])
    begin = time.monotonic()
    host.set_up()
    engines.set_up()
    host.make_images()
    print(f"set up in {time.monotonic() - begin:.0f} s", flush=True)
    wanted = os.environ.get("GANTRY_VM_TESTS", "").split()
    failed = run_group(["test_machine"])
    for set_up, groups in PHASES:
        set_up()
        failed += run_phase(groups, wanted)
        print(f"phase done ({time.monotonic() - begin:.0f} s)", flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
