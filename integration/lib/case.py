"""The base of all tests here: a work folder, a time limit, a look for leftovers."""

import os
import pathlib
import shutil
import signal
import unittest

from lib import cgroup, process, product
from lib.leftovers import Snapshot

WORK = pathlib.Path("/run/t")
# Parent of the containers that tests make themselves; engines have their own.
CGROUP = "/gantry-test"


class ContainerTest(unittest.TestCase):
    seconds = 120

    def setUp(self):
        self.work = WORK / self._testMethodName[5:25]
        self.work.mkdir(parents=True)
        os.makedirs(f"/sys/fs/cgroup{CGROUP}")
        self.addCleanup(self._end_containers)
        signal.signal(signal.SIGALRM, self._out_of_time)
        signal.alarm(int(self.seconds * process.PATIENCE))
        self.addCleanup(signal.alarm, 0)

    def _end_containers(self):
        """Whatever a failed test left must not meet the next one."""
        cgroup.remove_tree(pathlib.Path(f"/sys/fs/cgroup{CGROUP}"))
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(product.STATE, ignore_errors=True)

    def _out_of_time(self, _number, _frame):
        raise AssertionError(f"not finished after {self.seconds} s")

    def snapshot(self, *folders, ignore=()):
        return Snapshot(folders, ignore)

    def assert_nothing_left(self, snapshot):
        found = snapshot.settled_differences()
        self.assertFalse(found, "left behind:\n  " + "\n  ".join(found))

    def assert_succeeded(self, ended):
        self.assertEqual(ended.status, 0, str(ended))

    def assert_engine_says(self, ended, *words):
        """The engine failed, and its message holds ours, once."""
        text = ended.err.decode(errors="replace")
        self.assertNotEqual(ended.status, 0, str(ended))
        self.assertEqual(ended.out, b"", str(ended))
        self.assertEqual(text.count("GTY-"), 1, str(ended))
        self.assert_one_sentence(text[text.index("GTY-"):].splitlines()[0], *words)

    def assert_one_sentence(self, text, *words):
        """One line for a person, with the product's code, and these words."""
        self.assertRegex(text, r"GTY-\d{3}: ")
        self.assertEqual(len(text.strip().splitlines()), 1, text)
        for word in words:
            self.assertIn(word.lower(), text.lower())
        # Docker takes these for "command not found" (exit 126 and 127).
        for phrase in ("permission denied", "no such file or directory"):
            self.assertNotIn(phrase, text.lower())
