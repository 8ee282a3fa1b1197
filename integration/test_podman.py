"""GPUs through Podman and conmon."""

import json

from lib import grants, machine, process, product
from lib.engine_cases import EngineCases, EngineTest, Images
from lib.engine_podman import Podman

NEEDS_DEBIAN_ROOTFS = True

podman = images = None


def setUpModule():
    global podman, images
    machine.need_program("podman", "conmon")
    podman = Podman("/run/podman-test")
    images = Images("/run/podman-test/images")


class PodmanTest(EngineTest):
    @classmethod
    def run_container(cls, image, *words, runtime=None, uid=0, env=(), options=()):
        """In the folder itself, without a copy. Podman 5 gives root no CAP_MKNOD."""
        flags = [word for entry in env for word in ("--env", entry)]
        flags += [] if uid else ["--cap-add", "MKNOD"]
        return podman.run(runtime or product.shim(), images.path(image), *words,
                          options=["--user", str(uid), *flags, *options])

    def assert_gone(self):
        self.assertEqual(podman.containers(product.shim()), [])

    def tearDown(self):
        for name in podman.containers(product.shim()):
            podman.podman(product.shim(), "rm", "--force", "--time", "0", name)


class PodmanCases(EngineCases):
    def test_refusal_through_the_log(self):
        """Where podman is told that the runtime logs JSON, it reads that file."""
        podman.supports_json("gantry-runtime")
        self.addCleanup(podman.supports_json)
        self.amd_host()
        ended = self.run_container("tiny", "/bin/true", env=["AMD_VISIBLE_DEVICES=7"])
        self.assert_engine_says(ended, "GTY-202", "AMD_VISIBLE_DEVICES")

    def test_refusal_leaves_the_image_as_a_plain_run_does(self):
        self.amd_host()
        plain, refused = images.fresh("tiny"), images.fresh("tiny")
        real = machine.need_program(self.program)
        self.assert_succeeded(podman.run(real, plain, "/bin/true"))
        ended = podman.run(product.shim(), refused, "/bin/true",
                           options=["--env", "AMD_VISIBLE_DEVICES=7"])
        self.assert_engine_says(ended, "GTY-202")
        extra = {path.relative_to(refused) for path in refused.rglob("*")} - \
                {path.relative_to(plain) for path in plain.rglob("*")}
        self.assertEqual(extra, set())

    def test_exec_gets_what_the_main_process_got(self):
        host = self.amd_host()
        ended = self.run_container("tiny", "/bin/gantry-answer", "--wait", uid=1000,
                                   env=["AMD_VISIBLE_DEVICES=0"],
                                   options=["--detach", "--name", "gpu"])
        self.assert_succeeded(ended)
        ended = podman.podman(product.shim(), "exec", "gpu", "/bin/gantry-answer")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)

    def test_kill_reaches_the_container(self):
        """kill and delete come without PATH and HOME."""
        self.amd_host()
        before = self.snapshot()
        self.run_container("tiny", "/bin/gantry-answer", "--wait", env=["AMD_VISIBLE_DEVICES=0"],
                           options=["--detach", "--name", "gpu"])
        self.assert_succeeded(podman.podman(product.shim(), "kill", "gpu"))
        process.wait_until(lambda: not podman.containers(product.shim()),
                           "the container to be removed")
        self.assert_nothing_left(before)


class PodmanRuncTest(PodmanCases, PodmanTest):
    program = "runc"


class PodmanCrunTest(PodmanCases, PodmanTest):
    program = "crun"
