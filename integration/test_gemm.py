"""Every verdict of the computing check, from a driver library that computes (the fake
one of tests/fakes): what is proven broken stops the container, what is not warns."""

import shutil

from lib import rootfs, simhost
from lib.gemm_case import GemmTest

NEEDS_DEBIAN_ROOTFS = True

# orders -> words of the sentence that refuses
REFUSED = {
    "product=bit": ("GTY-411", "computes wrong", "take this GPU out of use"),
    "product=more": ("GTY-411", "computes wrong"),
    "product=nan": ("GTY-411", "computes wrong", "no integers"),
    "product=row": ("GTY-411", "computes wrong", "row 85 of 256"),
    "product=skipped": ("GTY-411", "computes wrong", "All of it is wrong"),
    "product=stale": ("GTY-411", "computes wrong"),
    "cuCtxSynchronize=700": ("GTY-413", "700", "ILLEGAL_ADDRESS", "Xid"),
    "cuEventQuery=719": ("GTY-413", "719"),
    "crash=cuModuleLoadDataEx": ("GTY-407", "crashed at cuModuleLoadDataEx", "SIGSEGV"),
    "crash=cuLaunchKernel": ("GTY-407", "crashed at", "SIGSEGV"),
    "cuInit=803": ("GTY-403", "803", "SYSTEM_DRIVER_MISMATCH"),
    "cuModuleLoadDataEx=221": ("GTY-403", "221", "libnvidia-ptxjitcompiler"),
    "gflops=1000000": ("GTY-408", "claims", "more than it can have done"),
    "count=0": ("GTY-404", "0 of 1"),
}
HUNG = ("cuDevicePrimaryCtxRetain", "cuModuleLoadDataEx", "cuEventQuery")
# orders -> the verdict, words of the warning
WARNED = {
    "gflops=200": ("SLOW", "GTY-414", "200 GFLOP/s of 500"),
    "free=1024": ("BUSY", "GTY-415", "1024 of 24576 MiB"),
    "mode=3": ("BUSY", "GTY-415", "exclusive"),
    "cuDevicePrimaryCtxRetain=46": ("BUSY", "GTY-415", "held by another process"),
    "cuMemAlloc=2": ("OUT_OF_GPU_MEMORY", "GTY-416", "free memory on this GPU"),
}
# Its own switch turns each way.
STRICT = {"gflops=200": ("slow", "GTY-414"), "free=1024": ("busy", "GTY-415"),
          "cuMemAlloc=2": ("out-of-gpu-memory", "GTY-416")}


class Cases:
    def setUp(self):
        super().setUp()
        self.need_debian()

    def order(self, orders, **settings):
        """A bundle for a host under these orders."""
        self.cuda(orders, **settings)
        return self.bundle(uid=1000, env=self.NVIDIA)

    def test_right(self):
        self.create_once(self.order(""))
        self.assert_computed()

    def test_right_on_every_gpu(self):
        self.cuda()
        self.create_once(self.bundle(env=["NVIDIA_VISIBLE_DEVICES=all",
                                          "NVIDIA_DRIVER_CAPABILITIES=compute"]))
        self.assert_computed()
        rates = self.logged().split("computed right at ")[1].split(";")[0]
        self.assertEqual(rates.count("FLOP/s"), 8, rates)

    def test_library_that_shows_more(self):
        """A container that is not kept from the others: those that were granted are
        computed on, as many as there are challenges."""
        self.create_once(self.order("count=9"))
        self.assert_computed()
        self.assertIn("9 NVIDIA GPUs counted", self.logged())
        self.assertIn("more than the 1 granted", self.logged())
        simhost.put_fake_hsa(self.root, "count=5")
        self.host_again(simhost.make_amd_host)
        self.create_once(self.bundle(env=["AMD_VISIBLE_DEVICES=0"], name="amd"))
        self.assert_computed()

    def test_refused(self):
        self.cuda()
        for orders, words in REFUSED.items():
            with self.subTest(orders):
                simhost.put_orders(self.root, orders)
                self.assert_refused(self.bundle(uid=1000, env=self.NVIDIA), "NVIDIA GPU 2", *words)

    def test_hung(self):
        self.cuda(timeout=1)
        for call in HUNG:
            with self.subTest(call):
                simhost.put_orders(self.root, "hang=" + call)
                self.assert_refused(self.bundle(uid=1000, env=self.NVIDIA), "GTY-405",
                                    "NVIDIA GPU 2", "hung at")

    def test_warned(self):
        for orders, (verdict, *words) in WARNED.items():
            with self.subTest(orders):
                self.create_once(self.order(orders))
                for word in (verdict + ": ", "NVIDIA GPU 2", *words):
                    self.assertIn(word, self.logged())

    def test_warnings_can_refuse(self):
        for orders, (switch, code) in STRICT.items():
            with self.subTest(orders):
                self.assert_refused(self.order(orders, verdicts={switch: "fail"}), code)

    def test_refusals_can_warn(self):
        self.create_once(self.order("product=bit", verdicts={"wrong-result": "warn"}))
        for word in ("WRONG_RESULT: ", "GTY-411"):
            self.assertIn(word, self.logged())

    def test_amd(self):
        """Through the image's own library."""
        simhost.put_fake_hsa(self.root)
        self.host_again(simhost.make_amd_host)
        env = ["AMD_VISIBLE_DEVICES=0"]
        self.create_once(self.bundle(uid=1000, env=env))
        self.assert_computed()
        for orders, words in (("product=row", ("GTY-411", "row 85 of 256")),
                              ("crash=hsa_executable_freeze", ("GTY-407", "SIGSEGV"))):
            with self.subTest(orders):
                simhost.put_orders(self.root, orders)
                shutil.rmtree(self.work / "bundle")
                self.assert_refused(self.bundle(uid=1000, env=env), "AMD GPU 0", *words)


class RuncTest(Cases, GemmTest):
    program = "runc"


class CrunTest(Cases, GemmTest):
    program = "crun"
