"""Containers of unusual shape on bare bundles, and many of them at once: as with the
low-level runtime alone."""

import concurrent.futures
import json
import os
import shutil
import signal
import time

from lib import answers, grants, process, product
from lib.bare_case import BareTest
from lib.bundle import Bundle, make_config

AMD = ["AMD_VISIBLE_DEVICES=0"]


class Cases:
    """For runc and for crun."""

    def test_102_devices_and_all_allowed(self):
        """docker run --privileged: its list of devices is nobody's wish, and nothing
        of it is doubled or lost."""
        host = self.amd_host()
        render, _ = host.amd_nodes(100301)
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer"], env=AMD)
        kfd = host.nodes()["/dev/kfd"]
        devices = [{"path": f"/dev/tty{number}", "type": "c", "major": 4, "minor": number,
                    "fileMode": 0o620, "uid": 0, "gid": 5} for number in range(101)]
        devices.append({"path": "/dev/kfd", "type": "c", "major": kfd["major"],
                        "minor": kfd["minor"], "fileMode": 0o660, "uid": 0, "gid": kfd["gid"]})
        config["linux"]["devices"] = devices
        config["linux"]["resources"]["devices"] = [{"allow": True, "access": "rwm"}]
        bundle = Bundle(self.work / "bundle", config)
        answer = self.runtime.answer(bundle, "c1")
        edited = bundle.spec()["linux"]
        self.assertEqual(edited["devices"][:102], devices)
        self.assertEqual([device["path"] for device in edited["devices"][102:]], [render])
        self.assertEqual(edited["resources"]["devices"], [{"allow": True, "access": "rwm"}])
        found = answers.nodes(answer)
        self.assertLessEqual({device["path"] for device in devices} | {render}, set(found))
        # The same list without a variable is no request.
        config["process"]["env"].pop()
        bundle = Bundle(self.work / "plain", config)
        self.runtime.answer(bundle, "c2")
        self.assertEqual(bundle.bytes(), bundle.original)

    def test_foreground_run(self):
        """BuildKit's shape: one log for all steps, the exit status is the step's."""
        self.amd_host()
        for command, status in ((["/bin/sh", "-c", "cat; exit 7"], 7),
                                (["/bin/true"], 0)):
            with self.subTest(command):
                ended = []
                for name, env in (("plain", ()), ("gpu", AMD)):
                    config = make_config(rootfs=self.root, args=command, env=env)
                    bundle = Bundle(self.work / name, config)
                    ended.append(self.runtime.call("run", "--bundle", bundle.path, name,
                                                   stdin=b"given"))
                plain, gpu = ended
                self.assertEqual((gpu.status, gpu.out, gpu.err),
                                 (plain.status, plain.out, plain.err), f"{plain}\n{gpu}")
                if "cat" in command[-1]:
                    self.assertEqual((gpu.status, gpu.out), (status, b"given"))
        self.assertEqual(self.runtime.log_lines(), [])

    def test_foreground_run_ends_by_a_signal_to_the_runtime(self):
        """The shim's process is the runtime's: what it is sent reaches the container."""
        self.amd_host()
        config = make_config(rootfs=self.root, args=["/bin/gantry-answer", "--wait"], env=AMD)
        bundle = Bundle(self.work / "gpu", config)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            null = os.open("/dev/null", os.O_RDWR)
            for number in range(3):
                os.dup2(null, number)
            os.execve(product.shim(), [product.shim(), "--root", str(self.runtime.root), "run",
                                       "--bundle", str(bundle.path), "gpu"], self.runtime.env)
        try:
            self.runtime.wait_status("gpu", "running")
            self.assert_succeeded(self.runtime.call("kill", "gpu", "KILL"))
            deadline = time.monotonic() + 20
            while (waited := os.waitpid(pid, os.WNOHANG))[0] == 0:
                self.assertLess(time.monotonic(), deadline, "run goes on")
                time.sleep(0.05)
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            raise
        self.assertEqual(os.waitstatus_to_exitcode(waited[1]), 137)

    def test_64_creates_at_once(self):
        host = self.amd_host(timeout=90)
        before = self.snapshot(self.root)
        bundles = {f"c{number}": self.bundle("--wait", name=f"c{number}", env=AMD, uid=1000)
                   for number in range(64)}
        started = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            ended = dict(zip(bundles, pool.map(
                lambda name: self.runtime.call(
                    "create", "--bundle", bundles[name].path, "--pid-file",
                    bundles[name].path / "pid", name, out=bundles[name].path / "out",
                    timeout=110), bundles)))
        failed = [str(one) for one in ended.values() if one.status != 0]
        self.assertEqual(failed, [], f"after {time.monotonic() - started:.0f} s")
        self.assert_succeeded(self.runtime.call("start", "c63"))
        process.wait_until((bundles["c63"].path / "out").read_bytes, "c63 to answer")
        answer = json.loads((bundles["c63"].path / "out").read_bytes())
        grants.assert_first_amd_gpu(self, answer, host)
        for name, bundle in bundles.items():
            self.assert_succeeded(self.runtime.call("delete", "--force", name))
            shutil.rmtree(bundle.path)
        self.assert_nothing_left(before)


class RuncTest(Cases, BareTest):
    program = "runc"
    seconds = 240


class CrunTest(Cases, BareTest):
    program = "crun"
    seconds = 240
