"""The system's log, as a test can read it: a socket at /dev/log in a /dev of the
test's own. What a journald or syslog daemon would be sent comes to it."""

import os
import pathlib
import re
import socket

from lib import syscalls

LEVELS = {3: "error", 4: "warning", 6: "info", 7: "debug"}
STANDARD = ("null", "zero", "full", "random", "urandom", "tty")


def private_dev(folder, host=None):
    """A /dev with the standard nodes, and those of a simulated host if given. For
    good: the view of the machine ends with the tests."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    syscalls.mount("tmpfs", folder, "tmpfs", 0, "mode=0755")
    for name in STANDARD:
        entry = os.stat(f"/dev/{name}")
        os.mknod(folder / name, entry.st_mode, entry.st_rdev)
        os.chmod(folder / name, 0o666)
    for name in ("shm", "pts", "mqueue", "hugepages"):
        if os.path.isdir(f"/dev/{name}"):
            (folder / name).mkdir()
            syscalls.bind(f"/dev/{name}", folder / name)
    for name in ("fuse", "net/tun", "ptmx"):
        if os.path.exists(f"/dev/{name}") and not os.path.islink(f"/dev/{name}"):
            (folder / name).parent.mkdir(exist_ok=True)
            entry = os.stat(f"/dev/{name}")
            os.mknod(folder / name, entry.st_mode, entry.st_rdev)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"),
                         ("stderr", "fd/2")):
        (folder / name).symlink_to(target)
    if host:
        host.make_nodes(folder)
    syscalls.bind(folder, "/dev")


class Journal:
    PATH = "/dev/log"

    def __init__(self):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(self.PATH)
        os.chmod(self.PATH, 0o666)

    def lines(self):
        """(level, container, text) of each of Gantry's lines since the last call."""
        found = []
        while True:
            try:
                line = self._socket.recv(8192).decode()
            except BlockingIOError:
                return found
            match = re.fullmatch(r"<(\d+)>gantry\[\d+\]: container (\S+): (.*)", line)
            if match:
                found.append((LEVELS[int(match[1]) & 7], match[2], match[3]))

    def close(self):
        self._socket.close()
        os.unlink(self.PATH)
