"""Podman with folders of its own. It has no daemon."""

import os
import pathlib

from lib import machine, process


class Podman:
    def __init__(self, base):
        self._podman, _ = machine.need_program("podman", "conmon")
        self._base = pathlib.Path(base)
        self._base.mkdir(parents=True)
        (self._base / "hooks.d").mkdir()
        # Only these, whatever a distribution's file says.
        self._settings = self._base / "containers.conf"
        self._settings.write_text("")

    def supports_json(self, *names):
        """Runtimes whose --log podman reads (its list holds runc and crun)."""
        listed = ", ".join(f'"{name}"' for name in ("runc", "crun", *names))
        self._settings.write_text(f"[engine]\nruntime_supports_json = [{listed}]\n")

    def podman(self, runtime, *words, timeout=90, **options):
        env = dict(os.environ, CONTAINERS_CONF=os.fspath(self._settings))
        return process.run(
            [self._podman, "--root", self._base / "root", "--runroot", self._base / "run",
             "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
             "--events-backend", "file", "--tmpdir", self._base / "tmp",
             "--hooks-dir", self._base / "hooks.d", "--runtime", runtime,
             *map(os.fspath, words)], timeout=timeout, env=env, **options)

    def run(self, runtime, rootfs, *command, options=()):
        """Its default limits need CAP_SYS_RESOURCE and the pids controller."""
        return self.podman(runtime, "run", "--rm", "--network", "none", "--pids-limit", "0",
                           "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096",
                           *options, "--rootfs", rootfs, *command)

    def containers(self, runtime):
        return self.podman(runtime, "ps", "--all", "--quiet", "--no-trunc").out.decode().split()
