"""A dockerd of the test's own, on a containerd of its own."""

import os
import pathlib
import subprocess

from lib import machine, process, syscalls
from lib.engine_containerd import Containerd


def _overlay_works(folder):
    names = ("lower", "upper", "work", "merged")
    for name in names:
        (folder / name).mkdir(parents=True)
    try:
        syscalls.mount("overlay", folder / "merged", "overlay", 0,
                       ",".join(f"{name}dir={folder / name}" for name in names[:3]))
        syscalls.unmount(folder / "merged")
        return True
    except OSError:
        return False


class Docker:
    def __init__(self, base, runtimes, options=()):
        """`runtimes`: name for --runtime -> path; `options`: of the daemon."""
        dockerd, self._docker = machine.need_program("dockerd", "docker")
        self._base = pathlib.Path(base)
        self._base.mkdir(parents=True)
        self._socket = f"unix://{self._base}/d.sock"
        storage = "overlay2" if _overlay_works(self._base / "try") else "vfs"
        self._containerd = Containerd(self._base / "c")
        config = self._base / "daemon.json"
        config.write_text("{}")
        argv = [dockerd, "--config-file", config, "--data-root", self._base / "data",
                "--exec-root", self._base / "exec", "--host", self._socket,
                "--pidfile", self._base / "d.pid", "--storage-driver", storage,
                "--iptables=false", "--ip6tables=false", "--bridge=none",
                "--exec-opt", "native.cgroupdriver=cgroupfs",
                "--containerd", self._containerd.socket, *options]
        for name, path in runtimes.items():
            argv += ["--add-runtime", f"{name}={path}"]
        self._daemon = process.Daemon(argv, self._base / "log")
        self._daemon.wait_ready(lambda: self.docker("version", timeout=10).status == 0)

    def argv(self, *words):
        return [self._docker, "--host", self._socket, *map(os.fspath, words)]

    def docker(self, *words, timeout=90, **options):
        return process.run(self.argv(*words), timeout=timeout, **options)

    def need_image(self, rootfs, name):
        if self.docker("image", "inspect", name).status == 0:
            return
        pack = ["tar", "-C", rootfs, "-c", "."]
        with subprocess.Popen(pack, stdout=subprocess.PIPE) as tar:
            subprocess.run(self.argv("import", "-", name), stdin=tar.stdout, check=True, timeout=120,
                           stdout=subprocess.DEVNULL)

    def run(self, runtime, *words, options=()):
        return self.docker("run", "--rm", "--network", "none", "--runtime", runtime, *options,
                           *words)

    def folders(self):
        """Where it keeps what belongs to containers that exist."""
        return [self._base / "exec" / "runtime-runc", self._base / "data" / "containers",
                self._base / "c" / "state"]

    def containers(self):
        return self.docker("ps", "--all", "--quiet", "--no-trunc").out.decode().split()

    def log_tail(self):
        return self._daemon.log_tail()

    def stop(self):
        self._daemon.stop()
        self._containerd.stop()
