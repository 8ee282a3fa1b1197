"""Images whose own driver library is against the check: it lies, floods, forges, forks,
hangs and leaves (hostile/acts.h). Whatever it does, there is one sentence within the limit,
and nothing of it stays."""

import json
import shutil
import time

from lib import environment, simhost
from lib.gemm_case import GemmTest

NEEDS_DEBIAN_ROOTFS = True

LIMIT = 1  # second
OWN = "LD_LIBRARY_PATH=/opt/own"

# act -> words of the sentence
AT_ONCE = {
    "exit": ("GTY-407", "ended early at cuInit (exit 0)"),
    "close": ("GTY-407", "ended early at cuInit"),
    "bytes": ("GTY-408", "its report makes no sense"),
    "endless-line": ("GTY-408", "its report makes no sense"),
    "no-product": ("GTY-408", "it leaves out the product"),
    "no-answer": ("GTY-408", "it leaves out the result"),
    "wrong-answer": ("GTY-411", "computes wrong", "All of it is wrong"),
    "end-challenges": ("GTY-408", "it leaves out the result"),
    "spoil-challenges": ("GTY-408", "it leaves out the result"),
    "words": ("GTY-418", "libcuda.so.1"),
    "escapes": ("GTY-408", "its report makes no sense"),
    "word": ("GTY-408", "its report makes no sense"),
    "numbers": ("GTY-408", "its report makes no sense"),
}
# Only the launcher's own clock ends these.
AT_THE_LIMIT = {
    "flood": ("GTY-408", "longer than it can be"),
    "keep-challenges": ("GTY-405", "hung at"),
    "ask-early": ("GTY-408", "its report makes no sense"),
}


class Cases:
    seconds = 90

    def setUp(self):
        super().setUp()
        self.need_debian()
        own = self.root / "opt/own"
        own.mkdir(parents=True)
        shutil.copy(environment.tool("hostile/libcuda.so.1"), own)
        self.cuda()

    def act(self, name, change=None, **settings):
        simhost.put_orders(self.root, "act=" + name)
        bundle = self.bundle(env=[*self.NVIDIA, OWN], name=name, uid=1000, **settings)
        if change:
            config = json.loads(bundle.original)
            change(config)
            bundle.config.write_text(json.dumps(config))
            bundle.original = bundle.bytes()
        return bundle

    def test_the_images_own_library_is_taken(self):
        """As the container's own program would; else nothing here is tested."""
        self.create_once(self.act("none"))
        self.assert_computed()
        self.assertIn("/opt/own/libcuda.so.1", self.logged())

    def test_at_once(self):
        for name, words in AT_ONCE.items():
            with self.subTest(name):
                begin = time.monotonic()
                self.assert_refused(self.act(name), "GPU check", *words)
                self.assertLess(time.monotonic() - begin, 10)

    def test_at_the_limit(self):
        self.cuda(timeout=LIMIT)
        for name, words in AT_THE_LIMIT.items():
            with self.subTest(name):
                begin = time.monotonic()
                self.assert_refused(self.act(name), "GPU check failed", *words)
                self.assertLess(time.monotonic() - begin, LIMIT + 2)

    def test_harmless(self):
        """What it leaves behind ends with the check, also where no process namespace ends it."""
        def share_processes(config):
            namespaces = config["linux"]["namespaces"]
            namespaces[:] = [entry for entry in namespaces if entry["type"] != "pid"]
        before = self.snapshot(self.root, ignore=[self.root / "etc/gantry-fake-gpu"])
        for name, change in (("daemons", None), ("daemons", share_processes), ("output", None)):
            with self.subTest(f"{name} {change is not None}"):
                bundle = self.act(name, change)
                begin = time.monotonic()
                self.create_once(bundle)
                self.assertLess(time.monotonic() - begin, 10)
                self.assert_computed()
                shutil.rmtree(bundle.path)
                self.assert_nothing_left(before)


class RuncTest(Cases, GemmTest):
    program = "runc"


class CrunTest(Cases, GemmTest):
    program = "crun"
