"""A recording runtime in a folder of its own (answer/recording_runtime.c)."""

import dataclasses
import json
import os
import pathlib
import shutil

from lib import environment


def _strings(path):
    return path.read_bytes().split(b"\0")[:-1]


@dataclasses.dataclass
class Call:
    argv: list       # bytes, the program's own name first
    environ: list    # bytes
    cwd: str
    fds: dict        # number: what it leads to
    stdin: bytes
    config: object   # text of config.json, None where there was none

    @property
    def words(self):
        return [os.fsdecode(word) for word in self.argv[1:]]

    def spec(self):
        return json.loads(self.config)


class RecordingRuntime:
    def __init__(self, folder, name, *, becomes=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.path = self.folder / name
        shutil.copy(environment.tool("recording-runtime"), self.path)
        if becomes:
            self._set("exec", os.fspath(becomes))

    def _set(self, what, text):
        (self.folder / f"{self.path.name}.{what}").write_text(text)

    def answer(self, *, status=0, out="", err=""):
        self._set("exit", str(status))
        self._set("stdout", out)
        self._set("stderr", err)

    def forget(self):
        shutil.rmtree(self.folder / "calls", ignore_errors=True)

    def calls(self):
        found = []
        for record in sorted((self.folder / "calls").glob("*")):
            lines = (record / "fds").read_text().splitlines()
            config = record / "config.json"
            stdin = record / "stdin"
            found.append(Call(
                argv=_strings(record / "argv"), environ=_strings(record / "environ"),
                cwd=(record / "cwd").read_text(),
                fds={int(number): target for number, _, target in
                     (line.partition(" ") for line in lines)},
                stdin=stdin.read_bytes() if stdin.exists() else b"",
                config=config.read_text() if config.exists() else None))
        return found

    def only_call(self):
        calls = self.calls()
        if len(calls) != 1:
            raise AssertionError(f"{self.path} must be called once, was called "
                                 f"{len(calls)} times: {[call.words for call in calls]}")
        return calls[0]
