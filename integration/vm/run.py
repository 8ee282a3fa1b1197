#!/usr/bin/env python3
"""Runs the tests of guest/ in a virtual machine, all in one boot.

    run.py [CLASS…]     all, or classes of guest/main.py's list: test_docker.DockerRuncTest

Exit status: 0 passed, 77 no machine can be made here, else failed. With
MUST_WORK=1 that is a failure too, as is a test that was skipped in there.
"""

import io
import os
import pathlib
import shlex
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, os.fspath(HERE))
sys.path.insert(0, os.fspath(HERE.parent))
sys.dont_write_bytecode = True

import machine  # noqa: E402
from lib import environment  # noqa: E402

# An emulated machine needs four to five minutes of two idle cores, and a busy
# one must not fail for that.
SECONDS = {"kvm": 360, "tcg": 900}
NOTHING_RAN = 77
PROGRAMS = ("gantry-runtime", "gantry-runc", "gantry-crun", "gantry-probe", "gantryctl")


def cache_folder():
    if cache := os.environ.get("XDG_CACHE_HOME"):
        return pathlib.Path(cache) / "gantry-vm"
    return environment.SOURCE / "build" / "vm"


def settings(words, emulated):
    return {"GANTRY_BIN": "/opt/gantry/bin", "GANTRY_TEST_TOOLS": "/opt/gantry/tools",
            "GANTRY_TEST_FAKES": "/opt/gantry/fakes", "GANTRY_TEST_HOSTS": "/opt/gantry/hosts",
            "GANTRY_TEST_PATIENCE": "4" if emulated else "1",
            "GANTRY_VM_TESTS": " ".join(words), "MUST_WORK": str(int(environment.MUST_WORK))}


def for_all(entry):
    """Root's, and readable for a rootless engine."""
    if entry.name.endswith("__pycache__"):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def pack(payload, variables):
    """Programs, tests and fixtures, as a tar that the guest reads as a disk."""
    text = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    with tarfile.open(payload, "w") as tar:
        for name in PROGRAMS:
            tar.add(os.path.realpath(environment.product(name)), f"bin/{name}", filter=for_all)
        for folder, name in ((environment.TOOLS, "tools"), (environment.FAKES, "fakes"),
                             (environment.FIXTURES, "hosts"), (HERE.parent / "lib", "lib"),
                             (HERE / "guest", "guest")):
            tar.add(folder, name, filter=for_all)
        entry = tarfile.TarInfo("settings")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text.encode()))


def main(words):
    sys.stdout.reconfigure(line_buffering=True)
    reason = machine.why_not()
    if reason:
        print(f"skipped: {reason}")
        return 1 if environment.MUST_WORK else NOTHING_RAN
    begin = time.monotonic()
    image = machine.make_image(cache_folder())
    print(f"image {image} ({time.monotonic() - begin:.0f} s)")
    reason = machine.why_no_kvm(image)
    if reason:
        print(f"no KVM, the machine is emulated: {reason}")
    with tempfile.TemporaryDirectory(prefix="gantry-vm.", dir="/var/tmp") as folder:
        payload = pathlib.Path(folder) / "payload.tar"
        pack(payload, settings(words, bool(reason)))
        accelerator = "tcg" if reason else "kvm"
        seconds = int(os.environ.get("GANTRY_VM_SECONDS", SECONDS[accelerator]))
        return machine.run(accelerator, image, payload, seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
