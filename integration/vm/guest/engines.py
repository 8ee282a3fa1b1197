"""The engines as a distribution sets them up: systemd cgroup driver, AppArmor,
their own folders. gantry-runtime is given as the runtime, by its two names."""

import json
import os
import pathlib
import subprocess

import host
from lib import process, product

PROGRAMS = ("runc", "crun")
UID = 1000
RUNTIME_DIR = f"/run/user/{UID}"
USER_CGROUP = (f"/sys/fs/cgroup/user.slice/user-{UID}.slice/user@{UID}.service/init.scope/"
               "cgroup.procs")


def set_up():
    process.check(["usermod", "--append", "--groups", "render", "user"])
    pathlib.Path("/etc/docker").mkdir(exist_ok=True)
    runtimes = {f"gantry-{name}": {"path": product.shim(f"gantry-{name}")} for name in PROGRAMS}
    pathlib.Path("/etc/docker/daemon.json").write_text(json.dumps({"runtimes": runtimes}))
    process.check(["systemctl", "start", "docker", f"user@{UID}.service"])


class Docker:
    rootless = False

    def __init__(self, program):
        self.name = f"docker-{program}"
        self._runtime = f"gantry-{program}"

    def argv(self, *words):
        return ["docker", *words]

    def run_argv(self, image, *command, options=()):
        return self.argv("run", "--name", self.name, "--runtime", self._runtime, "--network",
                         "none", *options, self._image(image), *command)

    def _image(self, name):
        if process.run(self.argv("image", "inspect", name)).status != 0:
            with subprocess.Popen(["tar", "-C", host.IMAGES / name, "-c", "."],
                                  stdout=subprocess.PIPE) as tar:
                subprocess.run(self.argv("import", "-", name), stdin=tar.stdout, check=True,
                               stdout=subprocess.DEVNULL)
        return name


class Podman:
    def __init__(self, program, rootless=False):
        self.rootless = rootless
        self.name = f"podman-{program}"
        self._argv = ["podman", "--runtime", product.shim(f"gantry-{program}")]
        if rootless:
            # As from the user's own session: in a cgroup that is the user's.
            self._argv = ["sh", "-c", f'echo $$ >{USER_CGROUP}; exec "$@"', "sh", "setpriv",
                          "--reuid", str(UID), "--regid", str(UID), "--init-groups",
                          "env", "-C", "/", "USER=user", "HOME=/home/user",
                          f"XDG_RUNTIME_DIR={RUNTIME_DIR}",
                          f"DBUS_SESSION_BUS_ADDRESS=unix:path={RUNTIME_DIR}/bus", *self._argv]

    def argv(self, *words):
        return [*self._argv, *words]

    def run_argv(self, image, *command, options=()):
        rootfs = host.IMAGES / ("user" if self.rootless else image)
        return self.argv("run", "--name", self.name, "--network", "none", *options, "--rootfs",
                         os.fspath(rootfs), *command)
