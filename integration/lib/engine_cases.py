"""What must hold under every engine. A test class adds how its engine runs
something; see run_container()."""

import json
import pathlib
import re
import shutil
import unittest

from lib import grants, machine, process, product, rootfs, simhost
from lib.case import ContainerTest
from lib.recording import RecordingRuntime

FAULT = "hsa_init=0x1008"


class Images:
    """Root file systems that a file's tests share; engines copy or overlay them,
    or, where they do not, every run gets its own copy from fresh()."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._copies = 0

    def path(self, name):
        path = self._folder / name
        if path.exists():
            return path
        if name == "tiny":
            return rootfs.make_tiny(path)
        if rootfs.why_no_debian:
            raise unittest.SkipTest(rootfs.why_no_debian)
        rootfs.make_debian(path)
        try:
            if name == "rocm":
                simhost.put_fake_hsa(path)
            elif name == "broken-rocm":
                simhost.put_fake_hsa(path, FAULT)
        except BaseException:
            shutil.rmtree(path)
            raise
        return path

    def fresh(self, name):
        self._copies += 1
        copy = self._folder / f"{name}-{self._copies}"
        process.check(["cp", "--archive", self.path(name), copy])
        return copy


class EngineTest(ContainerTest):
    """`program` is the low-level runtime. Between the shim and it stands one
    that keeps what it was called with."""

    program = ""
    user = 1000

    @classmethod
    def setUpClass(cls):
        """Skips where the engine gives that runtime limits which this machine
        cannot set; also makes what engines make at a first run and keep."""
        super().setUpClass()
        cls.real = machine.need_program(cls.program)
        ended = cls.run_container("tiny", "/bin/true", runtime=cls.real)
        if re.search(rb"controller .*not available", ended.err):
            raise unittest.SkipTest(
                f"{cls.program} does not work under this engine without Gantry either: "
                + " ".join(ended.err.decode(errors="replace").split())[-300:])
        if ended.status != 0:
            raise AssertionError(f"without Gantry: {ended}")

    def setUp(self):
        super().setUp()
        self.tap = RecordingRuntime(self.work / "tap", self.program, becomes=self.real)

    def use_host(self, host, **settings):
        product.configure(runtimes=[self.tap.path], host_root=host.root, **settings)
        return host

    def amd_host(self, **settings):
        return self.use_host(simhost.make_amd_host(self.work / "host"), **settings)

    @classmethod
    def run_container(cls, image, *words, runtime=None, uid=0, env=()):
        """A container of the shim (or of another runtime), removed afterwards;
        -> process.Ended"""
        raise NotImplementedError

    def answer(self, *words, image="tiny", **options):
        ended = self.run_container(image, "/bin/gantry-answer", *words, **options)
        self.assert_succeeded(ended)
        return json.loads(ended.out)

    def creates(self):
        """config.json of the containers, and of the checks before them."""
        calls = [call for call in self.tap.calls() if {"create", "run"} & set(call.words)]
        checks = [call.spec() for call in calls if "run" in call.words]
        return [call.spec() for call in calls if "create" in call.words], checks


class EngineCases:
    def test_first_amd_gpu_as_user(self):
        host = self.amd_host()
        before = self.snapshot()
        answer = self.answer(uid=self.user, env=["AMD_VISIBLE_DEVICES=0"])
        self.assertEqual((answer["uid"], answer["descriptors"]), (self.user, []))
        grants.assert_first_amd_gpu(self, answer, host)
        self.assert_nothing_left(before)

    def test_what_was_not_granted_cannot_be_opened(self):
        host = self.amd_host()
        answer = self.answer("--mknod", grants.other_amd_node(host),
                             env=["AMD_VISIBLE_DEVICES=0"])
        grants.assert_first_amd_gpu(self, answer, host)
        grants.assert_refused_by_filter(self, answer)

    def test_no_request_no_touch(self):
        self.amd_host()
        before = self.snapshot()
        grants.assert_no_gpu(self, self.answer(uid=self.user))
        containers, checks = self.creates()
        self.assertEqual((len(containers), checks), (1, []))
        self.assertFalse([device for device in containers[0]["linux"].get("devices") or []
                          if device["path"].startswith(("/dev/kfd", "/dev/dri"))])
        self.assert_nothing_left(before)

    def test_exit_status_and_streams_are_the_containers(self):
        self.amd_host()
        ended = self.run_container("tiny", "/bin/sh", "-c", "echo out; echo err >&2; exit 7",
                                   env=["AMD_VISIBLE_DEVICES=0"])
        self.assertEqual((ended.status, ended.out), (7, b"out\n"), str(ended))
        self.assertIn(b"err\n", ended.err)

    def test_unknown_gpu_is_refused(self):
        self.amd_host()
        before = self.snapshot()
        ended = self.run_container("tiny", "/bin/gantry-answer", env=["AMD_VISIBLE_DEVICES=7"])
        self.assert_engine_says(ended, "GTY-202", '7', "AMD_VISIBLE_DEVICES", "Use one of")
        self.assert_gone()
        self.assert_nothing_left(before)

    def test_driver_library_that_fails_is_refused(self):
        """The person reads which GPU, what is wrong and what to do."""
        self.amd_host()
        # Else the first use of an image is taken for something left.
        self.run_container("broken-rocm", "/bin/true")
        before = self.snapshot()
        ended = self.run_container("broken-rocm", "/bin/gantry-answer", uid=self.user,
                                   env=["AMD_VISIBLE_DEVICES=0"])
        self.assert_engine_says(ended, "GTY-403", "AMD GPU", "0x1008",
                                "HSA_OVERRIDE_GFX_VERSION")
        self.assert_gone()
        self.assert_nothing_left(before)

    def test_driver_library_that_works(self):
        host = self.amd_host()
        answer = self.answer(image="rocm", uid=self.user, env=["AMD_VISIBLE_DEVICES=0"])
        grants.assert_first_amd_gpu(self, answer, host)
        containers, checks = self.creates()
        self.assertEqual((len(containers), len(checks)), (1, 1))

    def test_check_runs_in_the_containers_own_terms(self):
        """Same user, groups, capabilities, seccomp, devices and rules; another
        cgroup, and none of the engine's hooks."""
        self.amd_host()
        self.answer(uid=self.user, env=["AMD_VISIBLE_DEVICES=0"])
        containers, checks = self.creates()
        self.assertEqual((len(containers), len(checks)), (1, 1))
        container, check = containers[0], checks[0]
        for name in ("user", "capabilities", "noNewPrivileges", "apparmorProfile", "env"):
            self.assertEqual(check["process"].get(name), container["process"].get(name), name)
        for name in ("devices", "seccomp", "maskedPaths", "readonlyPaths"):
            self.assertEqual(check["linux"].get(name), container["linux"].get(name), name)
        self.assertEqual(check["linux"]["resources"],
                         {"devices": container["linux"]["resources"]["devices"]})
        self.assertNotEqual(check["linux"]["cgroupsPath"], container["linux"]["cgroupsPath"])
        self.assertFalse(check.get("hooks"))

    def test_nvidia_gpu(self):
        host = self.use_host(simhost.make_nvidia_host(self.work / "host"))
        env = ["NVIDIA_VISIBLE_DEVICES=2", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]
        answer = self.answer("--mknod", "195:3", image="debian", env=env)
        grants.assert_nodes(self, answer, host, grants.nvidia_nodes(host, [2]),
                            grants.optional_nvidia_nodes(host))
        grants.assert_refused_by_filter(self, answer)
        ended = self.run_container("debian", "/bin/loader-answer", "libcuda.so.1", env=env)
        self.assert_succeeded(ended)
        self.assertTrue(json.loads(ended.out)["ok"], str(ended))
