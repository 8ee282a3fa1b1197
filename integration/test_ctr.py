"""GPUs through containerd alone: `ctr run --runc-binary gantry-runtime`."""

import functools
import json

from lib import grants, machine, process, product
from lib.bundle import make_config
from lib.engine_cases import EngineCases, EngineTest, Images
from lib.engine_containerd import Containerd

NEEDS_DEBIAN_ROOTFS = True

containerd = images = None


def setUpModule():
    global containerd, images
    machine.need_program("containerd", "ctr")
    containerd = Containerd("/run/ctr-test")
    if not containerd.has_user_option():
        print("ctr run has no --user here: all containers run as root")
        CtrTest.user = 0
    images = Images("/run/ctr-test/images")


def tearDownModule():
    containerd.stop()


class CtrTest(EngineTest):
    count = 0

    @classmethod
    def run_container(cls, image, *words, runtime=None, uid=0, env=(), options=()):
        CtrTest.count += 1
        flags = [word for entry in env for word in ("--env", entry)]
        flags += ["--user", str(uid)] if uid else []
        return containerd.run(runtime or product.shim(), images.path(image), f"c{cls.count}",
                              *words, options=[*flags, *options])

    def tearDown(self):
        for name in containerd.containers():
            containerd.ctr("task", "kill", "--signal", "KILL", name)
            remove = functools.partial(containerd.ctr, "container", "rm", name)
            process.wait_until(lambda remove=remove: remove().status == 0, f"{name} to end")

    def assert_gone(self):
        self.assertEqual(containerd.containers(), [])


class CtrCases(EngineCases):
    def test_exec_gets_what_the_main_process_got(self):
        host = self.amd_host()
        started = self.run_container("tiny", "/bin/gantry-answer", "--wait", uid=self.user,
                                     env=["AMD_VISIBLE_DEVICES=0"], options=["--detach"])
        self.assert_succeeded(started)
        name = f"c{self.count}"
        ended = containerd.ctr("task", "exec", "--exec-id", "e1", name, "/bin/gantry-answer")
        self.assert_succeeded(ended)
        grants.assert_first_amd_gpu(self, json.loads(ended.out), host)


    def test_first_amd_gpu_as_user_by_a_spec_of_its_own(self):
        """The user too where ctr run has no --user: a whole spec by --config."""
        host = self.amd_host()
        config = make_config(rootfs=images.path("tiny"), args=["/bin/gantry-answer"], uid=1000,
                             env=["AMD_VISIBLE_DEVICES=0"], cgroup="/ctr-spec/c1")
        file = self.work / "spec.json"
        file.write_text(json.dumps(config))
        ended = containerd.ctr("run", "--rm", "--runc-binary", product.shim(), "--config", file,
                               "spec1")
        self.assert_succeeded(ended)
        answer = json.loads(ended.out)
        self.assertEqual(answer["uid"], 1000)
        grants.assert_first_amd_gpu(self, answer, host)


class CtrRuncTest(CtrCases, CtrTest):
    program = "runc"


class CtrCrunTest(CtrCases, CtrTest):
    program = "crun"
