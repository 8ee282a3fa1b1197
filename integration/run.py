#!/usr/bin/env python3
"""Runs one file of integration tests in its own view of the machine.

    run.py test_bare.py [TEST…]     all tests of the file, or those named

Exit status: 0 passed, 77 nothing could run, else failed. With MUST_WORK=1 a
test that cannot run on this machine has failed.
"""

import importlib
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from lib import environment, rootfs, view  # noqa: E402

SECONDS = int(os.environ.get("GANTRY_TEST_SECONDS", "840"))
NOTHING_RAN = 77


def cannot_run(reason):
    print(f"skipped: {reason}", flush=True)
    return 1 if environment.MUST_WORK else NOTHING_RAN


def run_tests(module, names):
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names, module) if names else \
        loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    if result.skipped and environment.MUST_WORK:
        print(f"MUST_WORK: {len(result.skipped)} skipped test(s) count as failed")
        return 1
    # A skipped class or file stands in the list too, but was not counted as run.
    skipped = sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped)
    return 0 if result.testsRun > skipped else NOTHING_RAN


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.reconfigure(line_buffering=True)
    if os.geteuid() != 0:
        return cannot_run("low-level runtimes and engines are run as root")
    module = importlib.import_module(os.path.basename(arguments[0]).removesuffix(".py"))
    if getattr(module, "NEEDS_DEBIAN_ROOTFS", False):
        rootfs.why_no_debian = rootfs.prepare_debian()
    for key in getattr(module, "NEEDS_ROOTS", ()):
        rootfs.why_no_other[key] = rootfs.prepare_other(key)
    try:
        return view.run_in_own_view(lambda: run_tests(module, arguments[1:]),
                                    environment.FOLDERS, SECONDS)
    except LookupError as problem:
        return cannot_run(str(problem))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
