"""The computing check in images of every kind of C library: it computes wherever a GPU
library could, and says so where none can."""

import shutil

from lib import environment, machine, rootfs, simhost
from lib.gemm_case import GemmTest

GLIBC = ("glibc-2.31", "glibc-2.36", "glibc-2.41")
NEEDS_ROOTS = (*GLIBC, "musl")
AMD = ["AMD_VISIBLE_DEVICES=0"]


class Cases:
    def image(self, key):
        if reason := rootfs.why_no_other[key]:
            self.skipTest(f"{key}: {reason}")
        self.root = rootfs.make_other(key, self.work / key)
        if key in GLIBC:  # that it is what it says
            loader = next(self.root.glob("usr/lib/x86_64-linux-gnu/libc.so.6"), None) or \
                next(self.root.glob("lib/x86_64-linux-gnu/libc.so.6"))
            self.assertIn(f"GNU C Library (Debian GLIBC {key[6:]}-".encode(), loader.read_bytes())
        return self.root

    def test_every_glibc_computes(self):
        for key in GLIBC:
            with self.subTest(key):
                self.image(key)
                self.cuda()
                self.create_once(self.bundle(env=self.NVIDIA, name=key))
                self.assert_computed()
                simhost.put_fake_hsa(self.root)
                self.host_again(simhost.make_amd_host)
                self.create_once(self.bundle(env=AMD, name=key + "-amd"))
                self.assert_computed()

    def test_musl(self):
        self.image("musl")
        self.assertTrue((self.root / "lib/ld-musl-x86_64.so.1").exists())
        self.assert_starts_unproven()

    def test_musl_under_the_name_of_glibcs_loader(self):
        """As libc6-compat had it: the program starts, and no GPU library can."""
        self.image("musl")
        (self.root / "lib64").mkdir()
        (self.root / "lib64" / "ld-linux-x86-64.so.2").symlink_to("/lib/ld-musl-x86_64.so.1")
        self.assert_starts_unproven()

    def test_scratch(self):
        self.root = self.work / "scratch"
        self.root.mkdir()
        self.assert_starts_unproven()

    def assert_starts_unproven(self):
        """The nodes are fine, and nothing more can be known: it starts, with a warning."""
        (self.root / "bin").mkdir(exist_ok=True)
        shutil.copy(environment.tool("gantry-answer"), self.root / "bin")
        for make_host, env in ((simhost.make_nvidia_host, self.NVIDIA),
                               (simhost.make_amd_host, AMD)):
            host = self.host_again(make_host)
            bundle = self.bundle(env=env, name=env[0][:3])
            self.create_once(bundle)
            self.assertIn("NOT_APPLICABLE: ", self.logged(), host.root)
            self.assertIn("GTY-417", self.logged())
            self.assertIn("use a glibc image", self.logged())
            self.assertNotIn("computed right", self.logged())
        self.host_again(simhost.make_amd_host, verdicts={"not-applicable": "fail"})
        self.assert_refused(self.bundle(env=AMD, name="strict"), "GTY-417", "use a glibc image")


class RuncTest(Cases, GemmTest):
    program = "runc"


class CrunTest(Cases, GemmTest):
    program = "crun"
