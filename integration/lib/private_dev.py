"""A /dev of a test's own with the standard nodes, where it makes the nodes of a
simulated host: in user namespaces the runtimes bind the host's own."""

import os
import pathlib

from lib import syscalls


def mount(folder):
    """Over /dev, from `folder`, which is made."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    syscalls.mount("tmpfs", folder, "tmpfs", 0, "mode=0755")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        entry = os.stat(f"/dev/{name}")
        os.mknod(folder / name, entry.st_mode, entry.st_rdev)
        os.chmod(folder / name, 0o666)
    (folder / "shm").mkdir()
    (folder / "pts").mkdir()
    syscalls.bind("/dev/shm", folder / "shm")
    syscalls.bind(folder, "/dev")


def unmount(folder):
    syscalls.unmount("/dev", syscalls.MNT_DETACH)
    syscalls.unmount(folder, syscalls.MNT_DETACH)
