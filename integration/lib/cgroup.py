"""A cgroup of this test run's own, which is the root of all that it starts."""

import os
import pathlib
import re
import time

from lib.mount_table import read_mounts

PREFIX = "gantry-test."


def find_unified_mount():
    """Where cgroup v2 is mounted on this machine, be it pure v2 or hybrid."""
    for mount in read_mounts():
        if mount.kind == "cgroup2":
            return pathlib.Path(mount.point)
    raise LookupError("no cgroup2 file system is mounted; these tests need cgroup v2")


def make_own_cgroup():
    unified = find_unified_mount()
    for stale in unified.glob(PREFIX + "*"):  # of runs that were killed
        pid = re.sub(r"\D", "", stale.name)
        if not os.path.exists(f"/proc/{pid}"):
            remove_tree(stale)
    own = unified / f"{PREFIX}{os.getpid()}"
    own.mkdir()
    return own


def remove_tree(cgroup: pathlib.Path, seconds=10.0):
    """Kills what is left in it, and removes it; False if that did not work."""
    deadline = time.monotonic() + seconds
    while True:
        if not cgroup.exists():
            return True
        try:
            if (cgroup / "cgroup.kill").exists():
                (cgroup / "cgroup.kill").write_text("1")
            for folder, _, _ in os.walk(cgroup, topdown=False):
                os.rmdir(folder)
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)


def enable_controllers(root="/sys/fs/cgroup"):
    """Hands down every controller there is; returns their names."""
    available = pathlib.Path(root, "cgroup.controllers").read_text().split()
    for name in available:
        try:
            pathlib.Path(root, "cgroup.subtree_control").write_text("+" + name)
        except OSError:
            pass  # in use by a v1 hierarchy or not delegated
    return pathlib.Path(root, "cgroup.subtree_control").read_text().split()
