"""What of Gantry's own may be broken without a container paying for it: its
configuration, its state folder, its logs. Containers that ask for no GPU run as with
plain runc; those that ask are refused with that reason, or run."""

import os
import shutil
import socket
import threading

from lib import grants, product, syscalls
from lib.bare_case import BareTest
from lib.journal import private_dev

AMD = ["AMD_VISIBLE_DEVICES=0"]


def setUpModule():
    private_dev("/run/adversity-dev")


def broken(path):
    path.write_text("[runtime\npaths = ")


def unknown_key(path):
    path.write_text(path.read_text() + "\n[no-such-section]\nkey = 1\n")


def writable_by_all(path):
    path.chmod(0o666)


def of_another_user(path):
    os.chown(path, 1000, 0)


def fifo(path):
    path.unlink()
    os.mkfifo(path)


def endless(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def too_large(path):
    path.write_text(path.read_text() + "#" * (2 << 20))


def folder(path):
    path.unlink()
    path.mkdir()


def loop(path):
    path.unlink()
    path.symlink_to(path)


# What is wrong with config.toml, and what a request for a GPU is told.
CONFIGURATIONS = (
    (broken, "GTY-101", "not TOML"),
    (unknown_key, "GTY-101", "no-such-section"),
    (writable_by_all, "GTY-102", "can be written by others"),
    (of_another_user, "GTY-102", "can be written by others"),
    (fifo, "GTY-101", "regular file"),
    (endless, "GTY-101", "regular file"),
    (too_large, "GTY-101", "1 MiB"),
    (folder, "GTY-101", "regular file"),
    (loop, "GTY-101", "config.toml"),
)


class Cases:
    def plain_runs(self, name):
        """The answer is that of a container that Gantry left alone."""
        bundle = self.bundle(name=name)
        answer = self.runtime.answer(bundle, name)
        grants.assert_no_gpu(self, answer)
        self.assertEqual(bundle.bytes(), bundle.original)

    def refused(self, name, *words):
        bundle = self.bundle(name=name, env=AMD)
        self.runtime.log.unlink(missing_ok=True)
        self.assert_refused(bundle, *words, name=name)

    def test_configuration(self):
        for spoil, code, words in CONFIGURATIONS:
            name = spoil.__name__.replace("_", "-")
            with self.subTest(name):
                shutil.rmtree(self.work / "host", ignore_errors=True)
                path = self.work / "config.toml"
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)
                self.amd_host()
                spoil(path)
                self.plain_runs(f"plain-{name}")
                self.refused(f"gpu-{name}", code, words)

    def test_missing_configuration(self):
        """Then the defaults count, among them this machine as the host."""
        self.amd_host()
        (self.work / "config.toml").unlink()
        self.plain_runs("plain")
        if not os.path.exists("/sys/class/kfd"):
            self.refused("gpu", "GTY-203", "AMD_VISIBLE_DEVICES")

    def state_folder(self, flags=0, data=""):
        os.makedirs(product.STATE, exist_ok=True)
        syscalls.mount("tmpfs", product.STATE, "tmpfs", 0, "mode=0700" + data)
        if flags:
            syscalls.mount("", product.STATE, "", syscalls.MS_REMOUNT | flags)
        self.addCleanup(syscalls.unmount, product.STATE, syscalls.MNT_DETACH)

    def test_full_state_folder(self):
        """Nor can the refusal be remembered; that changes nothing of it."""
        self.amd_host()
        self.state_folder(data=",nr_inodes=1")
        self.plain_runs("plain")
        self.refused("gpu", "GTY-131", "the disk is full")
        self.assertEqual(os.listdir(product.STATE), [])

    def test_read_only_state_folder(self):
        self.amd_host()
        self.state_folder(flags=syscalls.MS_RDONLY)
        self.plain_runs("plain")
        self.refused("gpu", "GTY-131", "read-only")

    def test_something_else_in_its_place(self):
        self.amd_host()
        with open(product.STATE, "w", encoding="utf-8"):
            pass
        self.addCleanup(os.unlink, product.STATE)
        self.plain_runs("plain")
        self.refused("gpu", "GTY-131")

    def test_full_failure_store_alone(self):
        """Where only the refusals cannot be kept, GPUs are given out as ever."""
        host = self.amd_host()
        os.makedirs(product.STATE, mode=0o700, exist_ok=True)
        with open(f"{product.STATE}/failures", "w", encoding="utf-8"):
            pass
        grants.assert_first_amd_gpu(self, self.runtime.answer(
            self.bundle(name="gpu", uid=1000, env=AMD), "gpu"), host)
        bundle = self.bundle(name="refused", env=["AMD_VISIBLE_DEVICES=7"])
        ended = self.runtime.create(bundle, "refused")
        self.assertNotEqual(ended.status, 0)
        self.assertIn(b"GTY-202", ended.err)

    def gpu_runs(self, host, name):
        answer = self.runtime.answer(self.bundle(name=name, uid=1000, env=AMD), name)
        grants.assert_first_amd_gpu(self, answer, host)

    def test_system_log(self):
        """Absent, without a listener, no socket at all, and one that nobody reads."""
        host = self.amd_host(log=self.work / "own.log")
        self.assertFalse(os.path.exists("/dev/log"))
        self.gpu_runs(host, "absent")

        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind("/dev/log")
        self.addCleanup(os.unlink, "/dev/log")
        full = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            while True:
                full.sendto(b"x" * 1000, "/dev/log")
        except BlockingIOError:
            pass
        self.gpu_runs(host, "unread")
        listener.close()
        self.gpu_runs(host, "stale")
        full.close()

    def test_own_log(self):
        """A log file that cannot be written is no log."""
        for name, path in (("none", self.work / "no" / "log"), ("folder", self.work),
                           ("device", "/dev/full")):
            with self.subTest(name):
                shutil.rmtree(self.work / "host", ignore_errors=True)
                self.gpu_runs(self.amd_host(log=path), name)

    def test_many_refusals_at_once(self):
        """The store stays bounded, and each is refused with its own reason."""
        self.amd_host()
        bundle = self.bundle(name="many", env=["AMD_VISIBLE_DEVICES=7"])
        ended = []

        def refuse(number):
            ended.append(self.runtime.call("create", "--bundle", bundle.path, f"m{number}"))
        threads = [threading.Thread(target=refuse, args=(number,)) for number in range(80)]
        for begin in range(0, len(threads), 16):
            for thread in threads[begin:begin + 16]:
                thread.start()
            for thread in threads[begin:begin + 16]:
                thread.join()
        self.assertEqual([b"GTY-202" in one.err for one in ended], [True] * 80)
        kept = os.listdir(f"{product.STATE}/failures")
        self.assertLessEqual(len(kept), 64 + 16)
        self.assertGreaterEqual(len(kept), 48)


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
