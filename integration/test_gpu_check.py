"""The GPU check before a container starts: vendor libraries that work, fail,
lie, hang and crash (test doubles), and what is left of each attempt."""

import os
import shutil
import signal
import subprocess

from lib import answers, grants, private_dev, process, simhost
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config

NEEDS_DEBIAN_ROOTFS = True
AMD = ["AMD_VISIBLE_DEVICES=0"]
NVIDIA = ["NVIDIA_VISIBLE_DEVICES=2", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]


class Cases:
    """For runc and for crun."""

    def setUp(self):
        super().setUp()
        self.need_debian()

    def rocm(self, orders="", **settings):
        simhost.put_fake_hsa(self.root, orders)
        return self.amd_host(**settings)

    def cuda(self, orders="", **settings):
        simhost.put_orders(self.root, orders)
        host = self.nvidia_host(**settings)
        host.put_fake_cuda()
        return host

    def test_library_that_works(self):
        host = self.rocm()
        before = self.snapshot(self.root)
        answer = self.runtime.answer(self.bundle(uid=1000, env=AMD), "c1")
        grants.assert_first_amd_gpu(self, answer, host)
        self.assert_nothing_left(before)

    def test_cuda_that_works(self):
        host = self.cuda()
        # The runtime itself makes the driver files' mount points in the image.
        self.runtime.lifecycle(self.bundle(uid=1000, env=NVIDIA), "c1")
        before = self.snapshot(self.root)
        answer = self.runtime.answer(self.bundle(uid=1000, env=NVIDIA), "c1")
        grants.assert_nodes(self, answer, host, grants.nvidia_nodes(host, [2]),
                            grants.optional_nvidia_nodes(host))
        self.assert_nothing_left(before)

    def test_library_that_fails(self):
        self.rocm("hsa_init=0x1008")
        self.assert_refused(self.bundle(uid=1000, env=AMD), "GTY-403", "AMD GPU", "0x1008",
                            "HSA_OVERRIDE_GFX_VERSION")

    def test_cuda_that_fails(self):
        self.cuda("cuInit=803")
        self.assert_refused(self.bundle(uid=1000, env=NVIDIA), "GTY-403", "NVIDIA GPU", "803")

    def test_library_that_sees_no_gpu(self):
        """As ROCm does where the render node cannot be opened: init is fine."""
        self.rocm("count=0")
        self.assert_refused(self.bundle(uid=1000, env=AMD), "GTY-404", "AMD GPU")

    def test_library_that_crashes(self):
        self.rocm("crash=hsa_init")
        self.assert_refused(self.bundle(uid=1000, env=AMD), "GTY-407", "hsa_init")

    def test_library_that_hangs(self):
        self.rocm("hang=hsa_init", timeout=2)
        self.assert_refused(self.bundle(uid=1000, env=AMD), "GTY-405", "hsa_init")

    def test_image_without_mount_points(self):
        """Runtimes make them in the image; those of the check go again."""
        self.rocm("hsa_init=0x1008")
        for folder in ("proc", "sys"):
            shutil.rmtree(self.root / folder)
        self.assert_refused(self.bundle(uid=1000, env=AMD), "GTY-403")

    def test_policies(self):
        for policy in ("warn", "off"):
            with self.subTest(policy):
                shutil.rmtree(self.work / "host", ignore_errors=True)
                host = self.rocm("hsa_init=0x1008", probe=policy)
                answer = self.runtime.answer(self.bundle(uid=1000, env=AMD, name=policy), policy)
                grants.assert_first_amd_gpu(self, answer, host)

    def test_shim_killed_during_the_check(self):
        """config.json stays as it was, and the next create clears up."""
        self.rocm("hang=hsa_init", timeout=60)
        bundle = self.bundle(uid=1000, env=AMD)
        before = self.snapshot(bundle.path, self.root)
        shim = subprocess.Popen(
            [self.runtime.program, "--root", self.runtime.root, "create", "--bundle", bundle.path,
             "c1"], env=self.runtime.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        process.wait_until(self.checks_running, "the check to run")
        os.kill(shim.pid, signal.SIGKILL)
        shim.wait()
        self.assertEqual(bundle.bytes(), bundle.original)
        simhost.put_orders(self.root, "")
        self.runtime.lifecycle(bundle, "c2")
        bundle.config.write_bytes(bundle.original)
        self.assertEqual(self.checks_running(), [])
        found = [line for line in before.settled_differences(5)
                 if str(bundle.path) not in line and "gantry-fake-gpu" not in line]
        self.assertEqual(found, [])

    @staticmethod
    def checks_running():
        """Cgroups of checks: siblings of the container's, by their name."""
        return [folder for folder, _, _ in os.walk("/sys/fs/cgroup")
                if os.path.basename(folder).startswith("gantry-") and "gantry-test" not in
                os.path.basename(folder)]

    def test_mount_that_forbids_devices(self):
        """docker run --tmpfs /dev/dri"""
        self.rocm()
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], uid=1000, env=AMD)
        config["mounts"].append({"destination": "/dev/dri", "type": "tmpfs", "source": "tmpfs",
                                 "options": ["noexec", "nosuid", "nodev"]})
        self.assert_refused(Bundle(self.work / "bundle", config), "GTY-401", "AMD GPU 0",
                            "nodev mount", "--tmpfs", "/dev/dri")

    def test_few_descriptors(self):
        """As few as the low-level runtime itself manages with for the container."""
        host = self.rocm()
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], uid=1000, env=AMD)
        least = 8 if self.program == "runc" else 12
        config["process"]["rlimits"] = [{"type": "RLIMIT_NOFILE", "soft": least,
                                         "hard": least + 1}]
        answer = self.runtime.answer(Bundle(self.work / "bundle", config), "c1")
        grants.assert_first_amd_gpu(self, answer, host)

    def test_bytes_after_the_document(self):
        """To runc they are nothing, to crun an error, of which it speaks itself."""
        host = self.rocm()
        bundle = self.bundle(uid=1000, env=AMD)
        bundle.config.write_bytes(bundle.original + b" and more")
        bundle.original = bundle.bytes()
        if self.program == "runc":
            return grants.assert_first_amd_gpu(self, self.runtime.answer(bundle, "c1"), host)
        ended = self.runtime.create(bundle, "c1")
        self.assertNotEqual(ended.status, 0)
        self.assertNotIn(b"GTY-", ended.err)
        self.assertIn(b"config.json", ended.err)
        self.assertEqual(bundle.bytes(), bundle.original)

    def test_user_namespace(self):
        """runc bind-mounts nodes there, so the host's own must exist; crun 1.8
        makes nodes of its own, whose mode is cut by the umask, so that the group
        cannot write: then the check must say so."""
        host = self.rocm()
        host.make_nodes(self.private_dev())
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], uid=1000, env=AMD)
        linux = config["linux"]
        linux["namespaces"].append({"type": "user"})
        # The nodes' groups are mapped to themselves.
        linux["uidMappings"] = [{"containerID": 0, "hostID": 0, "size": 2000}]
        linux["gidMappings"] = [{"containerID": 0, "hostID": 0, "size": 2000}]
        bundle = Bundle(self.work / "bundle", config)
        if self.program == "crun" and self.runtime.create(bundle, "c1").status != 0:
            self.assertIn("GTY-401", self.runtime.log_lines()[-1]["msg"])
            return self.assertEqual(bundle.bytes(), bundle.original)
        self.runtime.call("delete", "--force", "c1")
        answer = self.runtime.answer(bundle, "c1")
        grants.assert_groups(self, answer, host, ["/dev/kfd"])
        for path, node in answers.gpu_nodes(answer).items():
            self.assertIn(node["open"]["name"], grants.CAME_THROUGH, path)
        self.assertIn("/dev/kfd", answers.gpu_nodes(answer))

    def private_dev(self):
        private_dev.mount(self.work / "dev")
        self.addCleanup(private_dev.unmount, self.work / "dev")
        return "/dev"


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
