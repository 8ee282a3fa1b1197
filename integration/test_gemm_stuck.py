"""A check that the kernel does not let go of, as a driver that has lost its GPU does: the
library opens a file of a FUSE file system that never answers (hostile/silent_fs.py)."""

import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import time

from hostile import silent_fs
from lib import environment, process, product, simhost
from lib.gemm_case import GemmTest
from lib.leftovers import processes

NEEDS_DEBIAN_ROOTFS = True

LIMIT = 1  # second
SILENT = "/silent"


def in_kernel():
    """Numbers of processes in uninterruptible sleep that were killed."""
    found = []
    for pid, _ in processes():
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        pending = re.findall(r"(?:Sig|Shd)Pnd:\s*(\w+)", status)
        if "State:\tD" in status and any(int(mask, 16) & 1 << 8 for mask in pending):
            found.append(pid)
    return found


class Cases:
    seconds = 60

    def setUp(self):
        super().setUp()
        self.need_debian()
        if not os.path.exists("/dev/fuse"):
            self.skipTest("the kernel has no FUSE: /dev/fuse is missing")
        self.before = self.snapshot()
        self.silent = self.work / "silent"
        self.silent.mkdir()
        # Not PATH's python3: the one that runs the tests is there.
        self.daemon = process.Daemon([sys.executable, silent_fs.__file__, self.silent],
                                     self.work / "silent.log")
        self.addCleanup(self.end_daemon)
        self.daemon.wait_ready(lambda: os.path.ismount(self.silent))
        own = self.root / "opt/own"
        own.mkdir(parents=True)
        shutil.copy(environment.tool("hostile/libcuda.so.1"), own)
        self.cuda(timeout=LIMIT)

    def end_daemon(self):
        self.daemon.stop(0)
        subprocess.run(["umount", "--lazy", self.silent], check=False, stderr=subprocess.DEVNULL)

    def stuck_bundle(self, act="open", own_pids=True):
        simhost.put_orders(self.root, f"act={act},path={SILENT}/{silent_fs.FILE}")
        bundle = self.bundle(uid=1000, env=[*self.NVIDIA, "LD_LIBRARY_PATH=/opt/own"],
                             name=f"stuck-{own_pids}")
        config = json.loads(bundle.original)
        if not own_pids:
            namespaces = config["linux"]["namespaces"]
            namespaces[:] = [entry for entry in namespaces if entry["type"] != "pid"]
        config["mounts"].append({"destination": SILENT, "type": "bind", "source": str(self.silent),
                                 "options": ["bind", "ro"]})
        bundle.config.write_text(json.dumps(config))
        bundle.original = bundle.bytes()
        return bundle

    def create_through_pipes(self, bundle, name):
        """As engines do. (status, what came, seconds until the end, until the pipe's end)"""
        argv = [self.runtime.program, "--root", self.runtime.root, "create", "--bundle",
                bundle.path, name]
        begin = time.monotonic()
        shim = subprocess.Popen(argv, env=self.runtime.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = b""
        while select.select([shim.stdout], [], [], 30)[0] and (got := os.read(
                shim.stdout.fileno(), 65536)):
            text += got
        at_end_of_pipe = time.monotonic() - begin
        status = shim.wait(30)
        shim.stdout.close()
        return status, text.decode(), time.monotonic() - begin, at_end_of_pipe

    def test_stuck(self):
        bundle = self.stuck_bundle()
        status, text, seconds, pipe_seconds = self.create_through_pipes(bundle, "c1")
        self.assertNotEqual(status, 0, text)
        self.assertGreaterEqual(seconds, LIMIT)
        self.assertLess(seconds, LIMIT + 2, text)
        self.assertLess(pipe_seconds, LIMIT + 2, text)
        held = in_kernel()
        self.assertEqual(len(held), 1, text)
        line = next(line for line in text.splitlines() if "GTY-" in line)
        for word in ("GTY-406", "NVIDIA GPU 2", "stuck at cuInit", f"process {held[0]}",
                     "request_wait_answer"):
            self.assertIn(word, line)
        self.assertEqual(bundle.bytes(), bundle.original)
        # Its cgroup is named, for whoever looks later.
        cgroup = pathlib.Path(f"/proc/{held[0]}/cgroup").read_text().strip().rpartition(":")[2]
        self.assertIn(pathlib.PurePath(cgroup).name, line)

        # Others are not held up by it, though each sweeps.
        simhost.put_orders(self.root, "")
        begin = time.monotonic()
        self.create_once(self.bundle(uid=1000, env=self.NVIDIA, name="next"), "c2")
        self.assertLess(time.monotonic() - begin, 4)
        self.assertEqual(in_kernel(), held)

        # The driver answers at last (here: it is gone), and all of it goes.
        self.end_daemon()
        process.wait_until(lambda: not in_kernel(), "the held process to end", 5)
        self.create_once(self.bundle(uid=1000, env=self.NVIDIA, name="last"), "c3")
        self.assert_nothing_left(self.before)
        self.assertEqual(os.listdir(f"{product.STATE}/twins"), [])

    def test_child_in_the_hosts_process_namespace(self):
        """There the check is over; a later create clears up what is left of it."""
        begin = time.monotonic()
        self.create_once(self.stuck_bundle("open-aside", own_pids=False))
        self.assertLess(time.monotonic() - begin, 4)
        self.assertEqual(len(in_kernel()), 1)
        simhost.put_orders(self.root, "")
        self.create_once(self.bundle(uid=1000, env=self.NVIDIA, name="next"), "c2")
        self.assertEqual(len(in_kernel()), 1)
        self.end_daemon()
        process.wait_until(lambda: not in_kernel(), "the held process to end", 5)
        self.create_once(self.bundle(uid=1000, env=self.NVIDIA, name="last"), "c3")
        self.assert_nothing_left(self.before)


class RuncTest(Cases, GemmTest):
    program = "runc"

    def test_library_itself(self):
        """Held before there is a call: the loader opens the library."""
        os.remove(self.root / "opt/own/libcuda.so.1")
        (self.root / "opt/own/libcuda.so.1").symlink_to(f"{SILENT}/{silent_fs.FILE}")
        status, text, seconds, _ = self.create_through_pipes(self.stuck_bundle(), "c1")
        self.assertNotEqual(status, 0)
        self.assertLess(seconds, LIMIT + 2, text)
        for word in ("GTY-406", "stuck at", "libcuda.so.1"):
            self.assertIn(word, text)


class CrunTest(Cases, GemmTest):
    program = "crun"

    def test_child(self):
        """The check itself ends well; what it started does not, nor does its namespace."""
        status, text, seconds, pipe_seconds = self.create_through_pipes(
            self.stuck_bundle("open-aside"), "c1")
        self.assertNotEqual(status, 0)
        self.assertLess(max(seconds, pipe_seconds), LIMIT + 2, text)
        self.assertIn("GTY-406", text)
