"""What this machine has, and the reason where a test cannot run on it."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from lib import environment


def has_controllers(*names):
    """Can containers here use these cgroup controllers?"""
    enabled = pathlib.Path("/sys/fs/cgroup/cgroup.subtree_control").read_text().split()
    return set(names) <= set(enabled)


@functools.lru_cache(maxsize=None)
def version(program):
    """(1, 1, 5), from the first number that `program --version` prints."""
    ended = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30,
                           check=False)
    match = re.search(r"\d+(?:\.\d+)+", ended.stdout)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def find_program(name):
    path = shutil.which(name)
    return os.path.realpath(path) if path else ""


def need_program(*names):
    """Absolute paths of the programs; skips where one is not installed."""
    paths = []
    for name in names:
        path = find_program(name)
        if not path:
            raise unittest.SkipTest(f"{name} is not installed")
        paths.append(path)
    return paths[0] if len(paths) == 1 else paths


def need_fake(name):
    path = environment.FAKES / name
    if not path.exists():
        raise unittest.SkipTest(f"the fake vendor library {path} is not built")
    return path
