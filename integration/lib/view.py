"""The tests' own view of the machine.

Engines and low-level runtimes write below /run, /tmp, /etc and /sys/fs/cgroup,
start daemons, and decide between cgroup v1 and v2 by what is mounted. So each
test file runs in namespaces of its own:

    pid      all that was started ends with the test, whatever happens
    mount    /run, /tmp, /var/tmp, /var/log and /dev/shm are empty, /etc is a copy
    cgroup   /sys/fs/cgroup is cgroup v2 alone, and its root is our own cgroup:
             a machine with v1 hierarchies beside v2 looks like a pure v2 one
    network  nothing reaches the network, nor other engines' abstract sockets
"""

import os
import pathlib
import shutil
import signal
import sys
import time
import traceback

from lib import cgroup, memlock, syscalls
from lib.mount_table import read_mounts

HIDDEN = {"/run": "0755", "/tmp": "1777", "/var/tmp": "1777", "/var/log": "0755"}
STAGE = "/dev/shm/gantry-test-stage"
# Set-ups of this machine that must not decide what the tests see.
FOREIGN_SETTINGS = ("/etc/docker", "/etc/containerd", "/etc/containers/containers.conf",
                    "/etc/containers/containers.conf.d", "/etc/gantry", "/etc/cdi")


def _mount_unified_cgroup():
    points = [mount.point for mount in read_mounts()]
    for point in sorted(points, reverse=True):
        if point == "/sys/fs/cgroup" or point.startswith("/sys/fs/cgroup/"):
            try:
                syscalls.unmount(point)
            except OSError:
                pass  # locked by an outer namespace: mounting over it does as well
    syscalls.mount("cgroup2", "/sys/fs/cgroup", "cgroup2")


def _copy_etc():
    copy = pathlib.Path("/run/gantry-test-etc")
    shutil.copytree("/etc", copy, symlinks=True, ignore_dangling_symlinks=True)
    for path in FOREIGN_SETTINGS:
        path = copy / pathlib.Path(path).relative_to("/etc")
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
    syscalls.bind(copy, "/etc")


def _keep_visible(folders):
    """Folders that the private mounts would hide, put aside to be shown again."""
    kept = []
    for folder in folders:
        real = os.path.realpath(folder)
        if os.path.isdir(real) and real.startswith(tuple(point + "/" for point in HIDDEN)):
            stage = f"{STAGE}/{len(kept)}"
            os.makedirs(stage)
            syscalls.bind(real, stage)
            kept.append((stage, real))
    return kept


def _make_view(own_cgroup, keep):
    (own_cgroup / "cgroup.procs").write_text("0")
    syscalls.unshare(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWCGROUP | syscalls.CLONE_NEWNET)
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount("proc", "/proc", "proc")
    _mount_unified_cgroup()
    # The root of a hierarchy that hands down controllers holds no process.
    driver = pathlib.Path("/sys/fs/cgroup/driver")
    driver.mkdir()
    (driver / "cgroup.procs").write_text("0")
    cgroup.enable_controllers()

    syscalls.mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777")
    kept = _keep_visible(keep)
    for point, mode in HIDDEN.items():
        syscalls.mount("tmpfs", point, "tmpfs", 0, "mode=" + mode)
    for stage, real in kept:
        os.makedirs(real, exist_ok=True)
        syscalls.bind(stage, real)
        syscalls.unmount(stage, syscalls.MNT_DETACH)
    shutil.rmtree(STAGE, ignore_errors=True)
    _copy_etc()
    os.environ.update(HOME="/run/home", LC_ALL="C.UTF-8",
                      PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    os.makedirs("/run/home")
    os.chdir("/")
    memlock.allow_crun()


def _be_init(body):
    """Process 1: collects orphans until the tests have ended."""
    tests = os.fork()
    if tests == 0:
        status = 70
        try:
            status = body()
        except Exception:
            traceback.print_exc()  # os._exit() says nothing
        finally:
            sys.stdout.flush()
            os._exit(status)
    while True:
        pid, status = os.wait()
        if pid == tests:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _first_process(own_cgroup, keep, body):
    status = 70
    try:
        syscalls.die_with_parent()
        _make_view(own_cgroup, keep)
        _be_init(body)
    except BaseException as problem:  # noqa: B902  a fork must never return
        print(f"cannot make a view of this machine: {problem!r}", file=sys.stderr)
    finally:
        os._exit(status)


def run_in_own_view(body, keep, seconds):
    """body() in the view, at most `seconds` long; its exit status."""
    own_cgroup = cgroup.make_own_cgroup()
    sys.stdout.flush()
    syscalls.unshare(syscalls.CLONE_NEWPID)  # for the child alone
    init = os.fork()
    if init == 0:
        _first_process(own_cgroup, keep, body)
    status = None
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pid, raw = os.waitpid(init, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(raw)
                break
            time.sleep(0.05)
    finally:
        if status is None:
            print(f"not finished after {seconds} s: killed", flush=True)
            os.kill(init, signal.SIGKILL)  # and with it all in its pid namespace
            os.waitpid(init, 0)
            status = 124
        if not cgroup.remove_tree(own_cgroup):
            print(f"cannot remove {own_cgroup}", flush=True)
            status = status or 1
    return status
