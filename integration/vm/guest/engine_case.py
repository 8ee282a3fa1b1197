"""What must hold under every engine, with the real driver's /dev/kfd."""

import json
import unittest

import host
from lib import answers, grants, process

# gantry-answer opens what has a GPU's name.
SHOWN_AS = "/dev/nvidia-not-granted"
SECONDS = 60


class EngineCase(unittest.TestCase):
    engine = None

    def setUp(self):
        self.addCleanup(process.run, self.engine.argv("rm", "--force", self.engine.name),
                        timeout=SECONDS)

    def run_container(self, image, *command, options=()):
        return process.run(self.engine.run_argv(image, *command, options=options),
                           timeout=SECONDS)

    def must(self, *words):
        return process.check(self.engine.argv(*words), timeout=SECONDS)

    def start_waiting(self, *options):
        """A container of uid 1000 with the first GPU, which waits."""
        ended = self.run_container("tiny", "/bin/gantry-answer", "--wait", options=[
            "--detach", "--user", "1000", "--env", "AMD_VISIBLE_DEVICES=0", *options])
        self.assertEqual(ended.status, 0, str(ended))

    def assert_has_gpu(self, when):
        """By exec, which gets what the main process got: the GPU opens, really,
        and what was not granted does not."""
        answer = json.loads(self.must("exec", self.engine.name, "/bin/gantry-answer").out)
        self.assertEqual(answer["uid"], 1000)
        nodes = answers.gpu_nodes(answer)
        opened = {path: node["open"]["name"] for path, node in nodes.items()}
        wanted = {host.KFD: "ok", host.RENDER: "ok"}
        if not self.engine.rootless:
            wanted[SHOWN_AS] = "EPERM"
        self.assertEqual(opened, wanted, when)
        self.assertEqual((nodes[host.KFD]["major"], nodes[host.KFD]["minor"]),
                         host.numbers(host.KFD), when)
        self.assertEqual(answers.env(answer).get(grants.OVERRIDE), "10.3.0", when)

    def assert_refused(self, ended, *words):
        text = " ".join(ended.err.decode(errors="replace").split())
        self.assertNotEqual(ended.status, 0, str(ended))
        for word in words:
            self.assertIn(word, text)


class LifeCases:
    """The device filter is written anew by systemd and by the engines; none of
    that may take the GPU away."""

    def test_gpu_over_reload_update_and_restart(self):
        # A user's devices are not filtered: no privilege, no filter.
        shown = [] if self.engine.rootless else ["--volume", f"{host.NOT_GRANTED}:{SHOWN_AS}"]
        self.start_waiting(*shown)
        process.check(["systemctl", "daemon-reload"], timeout=SECONDS)
        self.assert_has_gpu("after systemctl daemon-reload")
        self.must("update", "--cpus", "1", "--memory", "256m", "--memory-swap", "512m",
                  self.engine.name)
        self.assert_has_gpu("after update")
        self.must("restart", "--time", "0", self.engine.name)
        process.check(["systemctl", "daemon-reload"], timeout=SECONDS)
        self.assert_has_gpu("after restart and daemon-reload")
