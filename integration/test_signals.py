"""Signals to the shim while the GPU check runs: Ctrl-C, an engine's timeout. It ends
as it would have, and takes everything of the check with it."""

import os
import signal
import subprocess
import sys

from lib import process, simhost
from lib.bare_case import BareTest

NEEDS_DEBIAN_ROOTFS = True
AMD = ["AMD_VISIBLE_DEVICES=0"]


class Cases:
    def setUp(self):
        super().setUp()
        self.need_debian()
        simhost.put_fake_hsa(self.root, "hang=hsa_init")
        self.amd_host(timeout=60, probe="warn")

    def begin(self, bundle, verb="create", **options):
        with open(self.work / "err", "wb") as err:
            shim = subprocess.Popen(
                [self.runtime.program, "--root", self.runtime.root, "--log", self.runtime.log,
                 "--log-format", "json", verb, "--bundle", bundle.path, "c1"],
                env=self.runtime.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=err, start_new_session=True, **options)
        process.wait_until(lambda: self.hanging() or shim.poll() is not None, "the check to hang")
        self.assertIsNone(shim.poll(), (self.work / "err").read_text())
        return shim

    @staticmethod
    def hanging():
        """Processes of checks that have come as far as the library."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/maps", encoding="utf-8", errors="replace") as maps:
                    if "libhsa-runtime64" in maps.read():
                        found.append(int(entry))
            except OSError:
                pass
        return found

    def assert_cleared(self, shim, number, bundle, before):
        self.assertEqual(shim.wait(30), -number)
        text = (self.work / "err").read_text()
        self.assert_one_sentence(text, "GTY-409", f"stopped by {signal.Signals(number).name}")
        self.assertEqual([line["level"] for line in self.runtime.log_lines()], ["error"])
        os.unlink(self.runtime.log)
        self.assertEqual(self.hanging(), [])
        self.assertEqual(bundle.bytes(), bundle.original)
        self.assertEqual(os.listdir("/run/gantry/twins"), [])
        self.assertIsNone(self.runtime.state("c1"))
        self.runtime.log.unlink(missing_ok=True)
        self.assert_nothing_left(before)

    def test_every_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number=number):
                bundle = self.bundle(uid=1000, env=AMD)
                before = self.snapshot(bundle.path, self.root)
                shim = self.begin(bundle, "run" if number == signal.SIGINT else "create")
                os.kill(shim.pid, number)
                self.assert_cleared(shim, number, bundle, before)

    def test_terminal(self):
        """^C goes to the whole group in the foreground."""
        bundle = self.bundle(uid=1000, env=AMD)
        before = self.snapshot(bundle.path, self.root)
        shim = self.begin(bundle, "run")
        os.killpg(shim.pid, signal.SIGINT)
        self.assert_cleared(shim, signal.SIGINT, bundle, before)

    def test_ignored_signal(self):
        """nohup: what is to be ignored is ignored, here and in the low-level runtime."""
        bundle = self.bundle("--wait", uid=1000, env=AMD)
        shim = self.begin(bundle,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        os.kill(shim.pid, signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            shim.wait(1)
        os.kill(shim.pid, signal.SIGTERM)
        self.assertEqual(shim.wait(30), -signal.SIGTERM)

    def test_mask_of_the_runtime(self):
        """The low-level runtime inherits what the engine gave, for each verb."""
        simhost.put_orders(self.root, "")
        own = self.work / "own" / self.program
        own.parent.mkdir()
        # Not a shell: dash clears the mask.
        own.write_text(f"#!{sys.executable}\nimport os, sys\n"
                       f"lines = [line for line in open('/proc/self/status')"
                       f" if line.startswith('SigBlk')]\n"
                       f"open('{own}.masks', 'a').writelines(lines)\n"
                       f"os.execv('{self.real}', sys.argv)\n")
        own.chmod(0o755)
        self.use_host(simhost.make_amd_host(self.work / "other"), runtimes=[own])

        def masks():
            text = (own.parent / f"{own.name}.masks").read_text()
            (own.parent / f"{own.name}.masks").unlink()
            return set(text.splitlines())

        self.runtime.call("features")
        plain = masks()
        self.assertEqual(len(plain), 1, plain)
        self.runtime.lifecycle(self.bundle(uid=1000, env=AMD), "c1")
        self.assertEqual(masks(), plain)


class RuncTest(Cases, BareTest):
    program = "runc"


class CrunTest(Cases, BareTest):
    program = "crun"
