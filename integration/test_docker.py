"""GPUs through a real dockerd, whose runtime is gantry-runtime."""

import json

from lib import grants, machine, process, product
from lib.engine_cases import EngineCases, EngineTest, Images
from lib.engine_docker import Docker

NEEDS_DEBIAN_ROOTFS = True

docker = images = None


def setUpModule():
    global docker, images
    machine.need_program("dockerd", "docker", "containerd", "runc")
    runtimes = {"gantry": product.shim()}
    for name in ("runc", "crun"):  # "runc" itself is a reserved name
        if path := machine.find_program(name):
            runtimes[f"plain-{name}"] = path
    docker = Docker("/run/docker-test", runtimes)
    images = Images("/run/docker-test/images")


def tearDownModule():
    docker.stop()


class DockerTest(EngineTest):
    @classmethod
    def run_container(cls, image, *words, runtime=None, uid=0, env=(), options=()):
        docker.need_image(images.path(image), image)
        name = f"plain-{cls.program}" if runtime else "gantry"
        flags = [word for entry in env for word in ("--env", entry)]
        return docker.run(name, image, *words, options=["--user", str(uid), *flags, *options])

    def snapshot(self, *folders, **settings):
        return super().snapshot(*folders, *docker.folders(), **settings)

    def assert_gone(self):
        self.assertEqual(docker.containers(), [])

    def tearDown(self):
        for container in docker.containers():
            docker.docker("rm", "--force", container)


class DockerCases(EngineCases):
    def test_refusal_is_docker_status_125(self):
        """126 and 127 mean that the command in the image could not be started."""
        self.amd_host()
        ended = self.run_container("tiny", "/bin/true", env=["AMD_VISIBLE_DEVICES=7"])
        self.assertEqual(ended.status, 125, str(ended))

    def test_libnetwork_hook_is_not_run_for_the_check(self):
        """Docker puts libnetwork-setkey into prestart, with --network none too."""
        self.amd_host()
        self.answer(env=["AMD_VISIBLE_DEVICES=0"])
        containers, checks = self.creates()
        self.assertIn("libnetwork-setkey", json.dumps(containers[0]["hooks"]))
        self.assertEqual(len(checks), 1)
        self.assertNotIn("libnetwork-setkey", json.dumps(checks))

    def test_exec_gets_what_the_main_process_got(self):
        host = self.amd_host()
        ended = self.run_container("tiny", "/bin/gantry-answer", "--wait", uid=1000,
                                   env=["AMD_VISIBLE_DEVICES=0"],
                                   options=["--detach", "--name", "gpu"])
        self.assert_succeeded(ended)
        ended = docker.docker("exec", "gpu", "/bin/gantry-answer")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)

    def test_stop_and_start_again(self):
        host = self.amd_host()
        before = self.snapshot()
        docker.need_image(images.path("tiny"), "tiny")
        process.check(docker.argv("create", "--name", "gpu", "--network", "none", "--runtime",
                                  "gantry", "--user", "1000", "--env", "AMD_VISIBLE_DEVICES=0",
                                  "tiny", "/bin/gantry-answer"))
        for _ in range(2):
            ended = docker.docker("start", "--attach", "gpu")
            self.assert_succeeded(ended)
            grants.assert_first_amd_gpu(self, json.loads(ended.out), host)
        process.check(docker.argv("rm", "gpu"))
        self.assert_nothing_left(before)

    def test_kill_reaches_the_container(self):
        self.amd_host()
        before = self.snapshot()
        self.run_container("tiny", "/bin/gantry-answer", "--wait", env=["AMD_VISIBLE_DEVICES=0"],
                           options=["--detach", "--name", "gpu"])
        process.check(docker.argv("kill", "gpu"))
        process.wait_until(lambda: not docker.containers(), "the container to be removed")
        self.assert_nothing_left(before)


class DockerRuncTest(DockerCases, DockerTest):
    program = "runc"
