"""Ways in which people start containers with Docker, each with a GPU under Gantry and
without one under runc itself: they must come out the same."""

import json

from lib import grants, machine, process, product, simhost
from lib.engine_cases import EngineTest, Images
from lib.engine_docker import Docker

NEEDS_DEBIAN_ROOTFS = True
GPU = ["--env", "AMD_VISIBLE_DEVICES=0"]

docker = images = None


def setUpModule():
    global docker, images
    runc = machine.need_program("dockerd", "docker", "containerd", "runc")[-1]
    docker = Docker("/run/docker-test", {"gantry": product.shim(), "plain-runc": runc})
    images = Images("/run/docker-test/images")


def tearDownModule():
    docker.stop()


class ShapesTest(EngineTest):
    program = "runc"

    @classmethod
    def run_container(cls, image, *words, runtime=None, options=()):
        docker.need_image(images.path(image), image)
        return docker.run("plain-runc" if runtime else "gantry", image, *words, options=options)

    def tearDown(self):
        for container in docker.containers():
            docker.docker("rm", "--force", container)

    def both(self, *words, options=(), image="tiny"):
        """(under Gantry with a GPU, under runc): of one command."""
        return (self.run_container(image, *words, options=[*GPU, *options]),
                self.run_container(image, *words, options=options, runtime="plain-runc"))

    def assert_same(self, pair):
        ours, plain = pair
        self.assertEqual((ours.status, ours.out), (plain.status, plain.out), f"{ours}\n{plain}")
        return ours

    def started(self, name, *words, options=()):
        """A detached container, by both runtimes: names."""
        docker.need_image(images.path("tiny"), "tiny")
        names = []
        for runtime, own in (("gantry", GPU), ("plain-runc", ())):
            names.append(f"{name}-{runtime}")
            process.check(docker.argv("run", "--detach", "--network", "none", "--runtime", runtime,
                                      "--name", names[-1], *own, *options, "tiny", *words))
        return names

    def inspect(self, name, path):
        return docker.docker("inspect", "--format", "{{json " + path + "}}", name).out.decode().strip()

    def test_init_process(self):
        self.amd_host()
        ours = self.assert_same(self.both("/bin/sh", "-c", "read line < /proc/1/comm; "
                                          "echo $line; exit 5", options=["--init"]))
        self.assertEqual((ours.status, ours.out), (5, b"docker-init\n"))

    def test_read_only_root(self):
        host = self.amd_host()
        ended = self.run_container("tiny", "/bin/gantry-answer",
                                   options=[*GPU, "--read-only", "--user", "1000"])
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        ours = self.assert_same(self.both("/bin/touch", "/new", options=["--read-only"]))
        self.assertNotEqual(ours.status, 0)

    def test_privileged(self):
        """All devices of the machine stay; the GPU's nodes come to them."""
        host = self.amd_host()
        ours, plain = self.both("/bin/gantry-answer", options=["--privileged"])
        if plain.status != 0:  # a machine that has not all Linux capabilities to give
            self.assertEqual(ours.status, plain.status, f"{ours}\n{plain}")
            return
        self.assert_succeeded(ours)
        found = {node["path"] for node in json.loads(ours.out)["nodes"]}
        there = {node["path"] for node in json.loads(plain.out)["nodes"]}
        render, _ = host.amd_nodes(100301)
        self.assertEqual(found - there, {"/dev/kfd", render} - there)
        self.assertEqual(there - found, set())
        # Without a request nothing is read into its list of devices.
        ended = self.run_container("tiny", "/bin/true", options=["--privileged"])
        self.assert_succeeded(ended)
        self.assertEqual(len(self.creates()[1]), 1, "one check, of the container with a request")

    def test_restart(self):
        self.amd_host()
        names = self.started("again", "/bin/sh", "-c", "exit 3", options=["--restart",
                                                                         "on-failure:2"])
        for name in names:
            process.wait_until(lambda name=name: self.inspect(name, ".RestartCount") == "2" and
                               self.inspect(name, ".State.Status") == '"exited"', name, 40)
            self.assertEqual(self.inspect(name, ".State.ExitCode"), "3")
        containers, checks = self.creates()
        self.assertEqual((len(containers), len(checks)), (3, 3))
        self.assertEqual([spec["linux"]["devices"] for spec in containers],
                         [containers[0]["linux"]["devices"]] * 3)

    def test_health_check(self):
        """Docker runs it by exec, as the container's user."""
        self.amd_host()
        render = "/dev/dri/renderD128"
        names = self.started("health", "/bin/sleep", "60", options=[
            "--user", "1000", "--health-interval", "500ms", "--health-cmd",
            f"test ! -e {render} || {{ test -r {render} && test -w {render}; }}"])
        for name in names:
            process.wait_until(lambda name=name: self.inspect(name, ".State.Health.Status") ==
                               '"healthy"', name, 40)

    def test_instant_exit(self):
        self.amd_host()
        before = self.snapshot(*docker.folders())
        for status in (0, 1, 0):
            ours = self.assert_same(self.both("/bin/true" if status == 0 else "/bin/false"))
            self.assertEqual(ours.status, status)
        self.assert_nothing_left(before)

    def test_command_that_is_not_there(self):
        self.amd_host()
        ours, plain = self.both("/bin/nothing-here")
        self.assertEqual(ours.status, plain.status, f"{ours}\n{plain}")
        self.assertNotIn(b"GTY-", ours.err)
        self.assertEqual(docker.containers(), [])

    def test_commit_of_an_ended_container_has_no_mount_points(self):
        self.use_host(simhost.make_nvidia_host(self.work / "host"))
        docker.need_image(images.path("debian"), "debian")
        env = ["--env", "NVIDIA_VISIBLE_DEVICES=2"]
        process.check(docker.argv("run", "--network", "none", "--runtime", "gantry", "--name",
                                  "ended", *env, "debian", "/bin/true"))
        changed = docker.docker("diff", "ended").out.decode()
        self.assertNotIn("libcuda", changed)
        self.assertNotIn("nvidia", changed)
