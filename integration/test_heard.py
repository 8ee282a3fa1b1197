"""`gantryctl ps` and `why` of containers that real low-level runtimes made, live,
ended, deleted behind Gantry's back, and of an id that was used again."""

import json

from lib import process, product
from lib.bare import Runtime
from lib.bare_case import BareTest

AMD = ["AMD_VISIBLE_DEVICES=0"]


class Cases:
    def ctl(self, *words):
        return process.run([product.shim("gantryctl"), *words])

    def listed(self):
        return [each["id"] for each in json.loads(self.ctl("ps", "--json").out)["containers"]]

    def start(self, name, runtime=None, bundle=None, **settings):
        runtime = runtime or self.runtime
        self.assert_succeeded(
            runtime.create(bundle or self.bundle("--wait", name=f"b-{name}", **settings), name))
        self.assert_succeeded(runtime.call("start", name))
        self.addCleanup(runtime.call, "delete", "--force", name)

    def kill(self, name, runtime=None):
        (runtime or self.runtime).call("kill", name, "KILL")
        (runtime or self.runtime).wait_status(name, "stopped")

    def test_live_ended_deleted(self):
        self.amd_host()
        self.start("plain")
        self.start("gpu", env=AMD, uid=1000)
        self.assertEqual(self.listed(), ["gpu"])
        table = self.ctl("ps").out.decode()
        for word in ("gpu ", "AMD GPU 0 (RX 6700 XT)", " ms ", "HSA_OVERRIDE_GFX_VERSION=10.3.0"):
            self.assertIn(word, table)
        told = self.ctl("why", "gp").out.decode()
        for word in ("container gpu\n", "request", "plan", "check", "/dev/kfd"):
            self.assertIn(word, told)
        self.assertNotIn("refused", told)
        self.assertEqual(self.ctl("why", "plain").status, 1)
        self.assertEqual(self.ctl("why").status, 1)  # nothing was refused
        self.kill("gpu")
        self.assertEqual(self.listed(), [])
        self.assert_succeeded(self.runtime.call("delete", "gpu"))
        self.assertEqual(self.listed(), [])

    def test_id_used_again(self):
        """By the low-level runtime alone, so Gantry's record is still there."""
        self.amd_host()
        real = Runtime(self.real, self.work)
        self.start("c1", env=AMD, uid=1000)
        self.kill("c1", real)
        self.assert_succeeded(real.call("delete", "c1"))
        self.start("c1", real, self.bundle("--wait", name="another", uid=1000))
        self.assertEqual(self.listed(), [])
        process_file = self.work / "process.json"
        before = {"user": {"uid": 1000, "gid": 1000}, "args": ["/bin/true"], "cwd": "/"}
        process_file.write_text(json.dumps(before))
        self.assert_succeeded(self.runtime.call("exec", "--process", process_file, "c1"))
        self.assertEqual(json.loads(process_file.read_text()), before)

    def test_refused(self):
        self.amd_host()
        bundle = self.bundle(name="refused", env=["AMD_VISIBLE_DEVICES=7"])
        bundle.config.write_text(bundle.config.read_text().replace(
            '"org.example.note"', '"io.kubernetes.cri.sandbox-namespace": "shop",\n'
            '"io.kubernetes.cri.sandbox-name": "web",\n"org.example.note"'))
        self.assertNotEqual(self.runtime.create(bundle, "r1").status, 0)
        for words in ((), ("r1",), ("r",), ("web",), ("shop/web",)):
            told = self.ctl("why", *words)
            self.assert_succeeded(told)
            self.assertIn(b"container r1, pod shop/web\n", told.out)
            self.assertIn(b"GTY-202", told.out)
        self.assertEqual(self.ctl("why", "nobody").status, 1)
        document = json.loads(self.ctl("why", "--json").out)
        self.assertEqual((document["id"], document["error"]["code"]), ("r1", "GTY-202"))


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
