"""A low-level runtime, or the shim in its place, on bare bundles."""

import json
import os

from lib import process


class Runtime:
    """`globals_` go before the verb; the log is where engines put it, in the bundle's
    neighbourhood, as JSON."""

    def __init__(self, program, work, *, env=None, globals_=()):
        self.program = program
        self.work = work
        self.root = work / "root"
        self.log = work / "log.json"
        self.env = env
        self._globals = ["--root", os.fspath(self.root), "--log", os.fspath(self.log),
                         "--log-format", "json", *globals_]

    def call(self, verb, *words, **options):
        options.setdefault("env", self.env)
        return process.run([self.program, *self._globals, verb, *map(os.fspath, words)], **options)

    def create(self, bundle, name, *options):
        """Not `run` but what engines do; the container's output is kept apart
        in a file, see output()."""
        return self.call("create", "--bundle", bundle.path, "--pid-file",
                         self.work / f"{name}.pid", *options, name, out=self._out(name))

    def _out(self, name):
        return os.fspath(self.work / f"{name}.out")

    def output(self, name):
        with open(self._out(name), "rb") as file:
            return file.read()

    def state(self, name):
        ended = self.call("state", name)
        return json.loads(ended.out) if ended.status == 0 else None

    def wait_status(self, name, status, seconds=20.0):
        process.wait_until(lambda: (self.state(name) or {}).get("status") == status,
                           f"{name} to be {status}", seconds)

    def lifecycle(self, bundle, name):
        """create, start, wait, delete; what the container printed."""
        for ended in self._steps(bundle, name):
            if ended.status != 0:
                raise AssertionError(f"must succeed:\n{ended}\nlog: {self.log_lines()}")
        return self.output(name)

    def _steps(self, bundle, name):
        created = self.create(bundle, name)
        yield created
        yield self.call("start", name)
        self.wait_status(name, "stopped")
        yield self.call("delete", name)

    def answer(self, bundle, name):
        return json.loads(self.lifecycle(bundle, name))

    def log_lines(self):
        try:
            with open(self.log, encoding="utf-8") as file:
                return [json.loads(line) for line in file if line.strip()]
        except FileNotFoundError:
            return []
