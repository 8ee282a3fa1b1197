"""What a container must not leave behind: seen before, looked for after."""

import os
import re
import stat
import time

from lib.mount_table import read_mounts

# Folders that belong to the tests, by the view; see lib/view.py.
WATCHED = ("/run/gantry", "/tmp", "/var/tmp", "/dev/shm")
STATE_FOLDER = re.compile(r"/run/gantry/[^/]+$")
# Refused creates are remembered on purpose; a lock file for each GPU stays.
KEPT = re.compile(r"/run/gantry/(failures|gpus)/")


def tree(folder):
    """Every entry below a folder (none of them followed, no other mount
    entered), with what shows that it was changed."""
    found = {}
    try:
        device = os.lstat(folder).st_dev
    except FileNotFoundError:
        return found
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            try:
                entry = os.lstat(path)
            except FileNotFoundError:
                continue
            is_folder = stat.S_ISDIR(entry.st_mode)
            found[path] = (oct(entry.st_mode), entry.st_uid, entry.st_gid,
                           None if is_folder else (entry.st_size, entry.st_mtime_ns))
        folders[:] = [name for name in folders
                      if _device(os.path.join(base, name)) == device]
    return found


def _device(path):
    try:
        return os.lstat(path).st_dev
    except FileNotFoundError:
        return None


def processes():
    """Processes by (pid, start time): command line. Zombies do not count."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        kernel_thread = not words
        if fields[0] != "Z" and not kernel_thread:
            found[(int(pid), fields[19])] = words.strip()
    return found


def cgroups(root="/sys/fs/cgroup"):
    return {folder for folder, _, _ in os.walk(root)}


class Snapshot:
    """`folders`: trees of the test's own that must stay as they are (bundles,
    root file systems); those of WATCHED are looked at as well."""

    def __init__(self, folders=(), ignore=()):
        self._folders = tuple(map(os.fspath, folders)) + WATCHED
        self._ignore = tuple(map(os.fspath, ignore))
        self._before = self._look()

    def _look(self):
        files = {}
        for folder in self._folders:
            files.update(tree(folder))
        for path in [path for path, what in files.items()
                     if KEPT.match(path) or what[3] is None and STATE_FOLDER.match(path)]:
            del files[path]  # the folders themselves stay; what is in them does not
        return {
            "process": {key: text for key, text in processes().items()},
            "mount": {mount: "" for mount in read_mounts()},
            "cgroup": {path: "" for path in cgroups()},
            "file": {path: what for path, what in files.items()
                     if not path.startswith(self._ignore or ("\0",))},
        }

    def differences(self):
        now, found = self._look(), []
        for kind, before in self._before.items():
            for key, what in now[kind].items():
                if key not in before:
                    found.append(f"{kind} left: {key} {what}")
                elif kind == "file" and before[key] != what:
                    found.append(f"file changed: {key} {before[key]} -> {what}")
            if kind in ("file", "mount"):
                found += [f"{kind} gone: {key}" for key in before if key not in now[kind]]
        return found

    def settled_differences(self, seconds=10.0):
        """Engines clean up a moment after they have answered."""
        deadline = time.monotonic() + seconds
        while (found := self.differences()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return found
