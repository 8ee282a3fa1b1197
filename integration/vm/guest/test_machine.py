"""That this is the machine which the other tests need."""

import os
import unittest

import host
from lib import process


class MachineTest(unittest.TestCase):
    def test_amdgpu_is_loaded_and_has_no_gpu(self):
        with open("/proc/modules", encoding="ascii") as modules:
            self.assertIn("amdgpu ", modules.read())
        nodes = "/sys/class/kfd/kfd/topology/nodes"
        for node in os.listdir(nodes):
            with open(f"{nodes}/{node}/properties", encoding="ascii") as properties:
                self.assertIn("simd_count 0\n", properties.read(), node)
        os.close(os.open(host.KFD, os.O_RDWR))
        os.close(os.open(host.RENDER, os.O_RDWR))

    def test_versions(self):
        for argv, wanted in ((["docker", "--version"], " 26."), (["podman", "--version"], " 5."),
                             (["crun", "--version"], " 1.21"), (["runc", "--version"], " 1.")):
            self.assertIn(wanted, process.check(argv).out.decode())

    def test_systemd_and_apparmor(self):
        with open("/proc/1/comm", encoding="ascii") as comm:
            self.assertEqual(comm.read(), "systemd\n")
        with open("/sys/module/apparmor/parameters/enabled", encoding="ascii") as enabled:
            self.assertEqual(enabled.read(), "Y\n")
        self.assertFalse(os.path.exists("/sys/fs/cgroup/memory"), "cgroup v1 is mounted")
