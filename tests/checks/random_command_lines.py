#!/usr/bin/env python3
"""Command lines of no sense: the shim hands every one over, untouched.

    random_command_lines.py GANTRY_RUNTIME

Words are drawn from what runc and crun know, cut, doubled, out of place, and
from what no shell would let through. None of them asks for a GPU that is there,
so each must reach the low-level runtime byte by byte; the shim must not crash,
say anything, or leave anything behind.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

LINES = 400
SEED = 20240501  # the same lines on every machine

VERBS = ["create", "run", "state", "start", "kill", "delete", "exec", "update", "restore", "spec",
         "list", "ps", "pause", "events", "checkpoint", "features", "mounts", "createx", ""]
OPTIONS = ["--root", "--log", "--log-format", "--systemd-cgroup", "--rootless", "--debug",
           "--cgroup-manager", "--bundle", "-b", "--pid-file", "--console-socket", "--no-pivot",
           "--preserve-fds", "--process", "-p", "-f", "--config", "--force", "--all", "-a", "-d",
           "--detach", "--help", "-h", "--version", "-v", "--env", "-t", "--tty", "--user", "-u",
           "--bund", "--roo", "--lo", "-bundle", "-root", "--", "-", "---", "--=", "-=", "--b=",
           "-bundle=.", "-bx", "-btbf"]
VALUES = ["c1", "", ".", "bundle", "./bundle/", "/", "/nowhere/at/all", "json", "text", "true",
          "false", "cgroupfs", "systemd", "../" * 40, "a" * 5000, "%s%n%x", "c1\nc2", "\x01\x7f",
          "GPU=all", "0", "-1", "18446744073709551616", "file:x", "journald:", "syslog:x"]
ODD = [b"\xff\xfe", b"--root=\xc3\x28", b"\xf0\x9f\x92\xa9"]

# What it was called with, NUL by NUL.
RUNTIME = "#!/bin/sh\nprintf '%s\\0' \"$@\"\n"
SPEC = '{"ociVersion":"1.0.2","process":{"args":["/bin/true"],"env":["A=B"]},"root":{"path":"r"}}'


# Half of the lines begin as real ones do.
BEGINNINGS = [["create", "--bundle", "bundle"], ["--root", "r", "create", "-b", "bundle", "c1"],
              ["run", "--bundle=bundle"], ["--log=l", "--log-format", "json", "create"],
              ["state"], ["--systemd-cgroup", "delete"], ["exec", "--process", "p"]]


def words(draw):
    line = []
    if draw.random() < 0.5:
        line += [word.encode() for word in draw.choice(BEGINNINGS)]
    for _ in range(draw.choice([0, 1, 2, 3, 4, 6, 10, 30])):
        kind = draw.random()
        if kind < 0.3:
            word = draw.choice(VERBS)
        elif kind < 0.6:
            word = draw.choice(OPTIONS)
            if draw.random() < 0.4:
                word += "=" + draw.choice(VALUES)
            if draw.random() < 0.1:
                word = word[:draw.randrange(len(word) + 1)]
        elif kind < 0.95:
            word = draw.choice(VALUES)
        else:
            line.append(draw.choice(ODD))
            continue
        line.append(word.encode())
    return line


def snapshot(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_ino, status.st_mtime_ns,
                            path.read_bytes() if path.is_file() else b"")
    return found


def main():
    shim = os.path.abspath(sys.argv[1])
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        runtime = work / "runc"
        runtime.write_text(RUNTIME)
        runtime.chmod(0o755)
        (work / "bundle").mkdir()
        (work / "bundle" / "config.json").write_text(SPEC)
        (work / "config.toml").write_text(
            # No log: a line that is not understood is noted there.
            f'[runtime]\npaths = ["{runtime}"]\n[log]\nfile = ""\nsystem = false\n')
        environment = {"GANTRY_CONFIG": f"{work}/config.toml", "XDG_RUNTIME_DIR": name}
        before = snapshot(work)
        for _ in range(LINES):
            line = words(draw)
            ended = subprocess.run([shim, *line], cwd=work, env=environment, capture_output=True,
                                   stdin=subprocess.DEVNULL, timeout=20, check=False)
            expected = b"".join(word + b"\0" for word in line) or b"\0"
            if (ended.returncode, ended.stdout, ended.stderr) != (0, expected, b""):
                print(f"{line}\n  status {ended.returncode}\n  handed over {ended.stdout!r}\n"
                      f"  said {ended.stderr!r}")
                return 1
            after = snapshot(work)
            if after != before:
                changed = {path for path in {*before, *after}
                           if before.get(path) != after.get(path)}
                print(f"{line}\n  changed {sorted(changed)}")
                return 1
    print(f"{LINES} command lines handed over as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main())
