"""Docker with gantry-runc and gantry-crun on the simulated host."""

import json
import os
import signal
import subprocess

from engine_case import SECONDS, EngineCase, LifeCases
from engines import Docker
from lib import process


def hung_checks():
    """Processes that run in the image whose library hangs, and are past the
    low-level runtime's own part: pid -> AppArmor's word."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/root/etc/gantry-fake-gpu", encoding="ascii") as orders:
                hung = "hang=" in orders.read()
            with open(f"/proc/{pid}/attr/current", encoding="ascii") as current:
                word = current.read().strip()
        except (OSError, ValueError):
            continue
        if hung and not word.endswith("unconfined)") and word != "unconfined":
            found[int(pid)] = word
    return found


class DockerCases(LifeCases):
    def test_limits_of_the_container_do_not_choke_the_check(self):
        """The check has a cgroup of its own. In the container's it would be
        killed or starve, and the container with it."""
        ended = self.run_container("rocm", "/bin/true", options=[
            "--env", "AMD_VISIBLE_DEVICES=0",
            "--memory", "64m", "--pids-limit", "8", "--cpus", "0.05"])
        self.assertEqual(ended.status, 0, str(ended))
        state = json.loads(self.must("inspect", "--format", "{{json .State}}",
                                     self.engine.name).out)
        self.assertEqual((state["OOMKilled"], state["ExitCode"]), (False, 0))

    def test_the_check_is_confined_as_the_container_is(self):
        argv = self.engine.run_argv("hung", "/bin/true",
                                    options=["--env", "AMD_VISIBLE_DEVICES=0"])
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            try:
                seen = process.wait_until(hung_checks, "the check to run confined", SECONDS / 2)
                for pid in seen:
                    os.kill(pid, signal.SIGKILL)
                _, said = run.communicate(timeout=SECONDS)
            finally:
                run.kill()
        self.assertEqual(set(seen.values()), {"docker-default (enforce)"})
        self.assertIn(b"GPU check", said)


class DockerRuncTest(DockerCases, EngineCase):
    engine = Docker("runc")


class DockerCrunTest(DockerCases, EngineCase):
    engine = Docker("crun")
