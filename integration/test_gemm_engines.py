"""The computing check through Docker and Podman: the fake driver library of a simulated
host (the one of hostile/, which obeys the same orders), told by the container's environment
what to do."""

import concurrent.futures
import os

from lib import environment, machine, product, simhost
from lib.case import ContainerTest
from lib.engine_cases import Images
from lib.engine_docker import Docker
from lib.engine_podman import Podman

NEEDS_DEBIAN_ROOTFS = True
NVIDIA = {"NVIDIA_VISIBLE_DEVICES": "2", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
REFUSED = {
    "product=more": ("GTY-411", "NVIDIA GPU 2", "computes wrong"),
    "cuCtxSynchronize=700": ("GTY-413", "NVIDIA GPU 2", "ILLEGAL_ADDRESS"),
    "crash=cuLaunchKernel": ("GTY-407", "NVIDIA GPU 2", "SIGSEGV"),
    "cuInit=803": ("GTY-403", "NVIDIA GPU 2", "SYSTEM_DRIVER_MISMATCH"),
}
LIMIT = 2
HUNG = ("GTY-405", "NVIDIA GPU 2", "hung at cuInit")

images = None


def setUpModule():
    global images
    os.makedirs("/run/engines-test/images")
    images = Images("/run/engines-test/images")


class Cases(ContainerTest):
    program = ""

    def setUp(self):
        super().setUp()
        simulated = simhost.make_nvidia_host(self.work / "host")
        simulated.put_fake_cuda(environment.tool("hostile/libcuda.so.1"))
        self.host = simulated.root
        self.configure()

    def configure(self, **settings):
        product.configure(host_root=self.host, runtimes=[machine.need_program(self.program)],
                          log=self.work / "gantry.log", **settings)

    def run_ordered(self, orders, *options):
        env = dict(NVIDIA, GANTRY_FAKE_GPU=orders)
        return self.run_image("/bin/sh", "-c", "echo started",
                              options=[*options, *(word for name, value in env.items()
                                                   for word in ("--env", f"{name}={value}"))])

    def logged(self):
        return (self.work / "gantry.log").read_text()

    def test_passes(self):
        ended = self.run_ordered("")
        self.assertEqual((ended.status, ended.out), (0, b"started\n"), str(ended))
        self.assertRegex(self.logged(), r"SIMULATED: NVIDIA GPU 2.*computed right at \d")

    def test_failing_verdicts_stop_it(self):
        for orders, words in REFUSED.items():
            with self.subTest(orders):
                self.assert_engine_says(self.run_ordered(orders), *words)
        self.configure(timeout=LIMIT)
        self.assert_engine_says(self.run_ordered("hang=cuInit"), *HUNG)
        self.assert_gone()

    def test_slow_starts_unless_it_must_not(self):
        ended = self.run_ordered("gflops=150")
        self.assertEqual((ended.status, ended.out), (0, b"started\n"), str(ended))
        self.assertIn("SLOW: NVIDIA GPU 2", self.logged())
        self.assertIn("GTY-414", self.logged())
        self.configure(verdicts={"slow": "fail"})
        self.assert_engine_says(self.run_ordered("gflops=150"), "GTY-414", "150 GFLOP/s")


class AtOnce:
    def test_ten_at_once_on_one_gpu(self):
        """They take turns, so that none is slow by the others (hostile/acts.c: share)."""
        shared = self.work / "shared"
        shared.mkdir()
        (shared / "gpu").touch()
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            all_ended = list(pool.map(lambda _: self.run_ordered(
                "act=share,path=/shared/gpu", "--volume", f"{shared}:/shared:ro"), range(10)))
        for ended in all_ended:
            self.assertEqual((ended.status, ended.out), (0, b"started\n"), str(ended))
        self.assertEqual(self.logged().count("SIMULATED: NVIDIA GPU 2"), 10, self.logged())
        self.assertNotIn("SLOW", self.logged())


class DockerRuncTest(AtOnce, Cases):
    program = "runc"

    @classmethod
    def setUpClass(cls):
        machine.need_program("dockerd", "docker", "containerd")
        cls.docker = Docker("/run/engines-test/docker", {"gantry": product.shim()})
        cls.addClassCleanup(cls.docker.stop)
        cls.docker.need_image(images.path("debian"), "debian")

    def run_image(self, *words, options):
        return self.docker.run("gantry", "debian", *words, options=options)

    def assert_gone(self):
        self.assertEqual(self.docker.containers(), [])


class PodmanCases(Cases):
    @classmethod
    def setUpClass(cls):
        cls.podman = Podman("/run/engines-test/podman-" + cls.program)

    def run_image(self, *words, options):
        return self.podman.run(product.shim(), images.path("debian"), *words, options=options)

    def assert_gone(self):
        self.assertEqual(self.podman.containers(product.shim()), [])


class PodmanRuncTest(PodmanCases):
    program = "runc"


class PodmanCrunTest(AtOnce, PodmanCases):
    program = "crun"


del Cases, PodmanCases  # of no engine
