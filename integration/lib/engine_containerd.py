"""A containerd of the test's own, and its `ctr`."""

import os
import pathlib

from lib import machine, process


class Containerd:
    def __init__(self, base):
        self._base = pathlib.Path(base)
        self._base.mkdir(parents=True)
        self.socket = self._base / "c.sock"
        self._ctr = machine.need_program("ctr")
        # Its own configuration: the machine's may switch parts off.
        config = self._base / "config.toml"
        config.write_text("version = 2\n"
                          'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
        self._daemon = process.Daemon(
            [machine.need_program("containerd"), "--config", config, "--root", self._base / "root",
             "--state", self._base / "state", "--address", self.socket], self._base / "log")
        self._daemon.wait_ready(lambda: self.ctr("version", timeout=10).status == 0)

    def argv(self, *words):
        return [self._ctr, "--address", os.fspath(self.socket), *map(os.fspath, words)]

    def ctr(self, *words, timeout=60, **options):
        return process.run(self.argv(*words), timeout=timeout, **options)

    def run(self, runtime, rootfs, name, *command, options=()):
        """ctr's own default asks for cpu.weight, which not every machine has."""
        end = () if "--detach" in options else ("--rm",)
        return self.ctr("run", *end, "--cpu-shares", "0", "--runc-binary", runtime, *options,
                        "--rootfs", rootfs, name, *command)

    def has_user_option(self):
        return b"--user " in self.ctr("run", "--help").out

    def containers(self):
        return self.ctr("containers", "list", "--quiet").out.decode().split()

    def log_tail(self):
        return self._daemon.log_tail()

    def stop(self):
        self._daemon.stop()
