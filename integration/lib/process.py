"""Starting programs: every one has a time limit, none can block the test."""

import dataclasses
import os
import shlex
import signal
import subprocess
import tempfile
import time


SCRATCH = "/run"  # not /tmp, which is watched for leftovers
# All limits times this: for emulated machines.
PATIENCE = float(os.environ.get("GANTRY_TEST_PATIENCE", "1"))


class Hung(AssertionError):
    pass


@dataclasses.dataclass
class Ended:
    argv: list
    status: int
    out: bytes
    err: bytes
    seconds: float

    def __str__(self):
        words = " ".join(shlex.quote(os.fsdecode(word)) for word in self.argv)
        return (f"$ {words}\n  status {self.status} after {self.seconds:.2f} s\n"
                f"  stdout {self.out[-2000:]!r}\n  stderr {self.err[-2000:]!r}")


def _end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(argv, *, timeout=60, stdin=b"", env=None, cwd=None, pass_fds=(), executable=None,
        out=None):
    """Waits for the program alone: output goes to files, so a container that
    keeps a descriptor open does not keep us waiting. `out` names the file for
    standard output, where more is to be read from it later."""
    begin = time.monotonic()
    with tempfile.TemporaryFile(dir=SCRATCH) as given, \
            (open(out, "w+b") if out else tempfile.TemporaryFile(dir=SCRATCH)) as out, \
            tempfile.TemporaryFile(dir=SCRATCH) as err:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(argv, stdin=given, stdout=out, stderr=err, env=env, cwd=cwd,
                                   pass_fds=pass_fds, executable=executable,
                                   start_new_session=True)
        try:
            status = process.wait(timeout * PATIENCE)
        except subprocess.TimeoutExpired:
            _end_group(process)
            status = None
        except BaseException:
            _end_group(process)
            raise
        out.seek(0)
        err.seek(0)
        ended = Ended(list(argv), status, out.read(), err.read(), time.monotonic() - begin)
    if status is None:
        raise Hung(f"killed after {timeout} s:\n{ended}")
    return ended


def check(argv, **options):
    ended = run(argv, **options)
    if ended.status != 0:
        raise AssertionError(f"must succeed:\n{ended}")
    return ended


def wait_until(condition, what, seconds=20.0):
    deadline = time.monotonic() + seconds * PATIENCE
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise Hung(f"waited {seconds:.0f} s for: {what}")
        time.sleep(0.02)
    return result


class Daemon:
    """A program that runs beside the test, in a process group of its own."""

    def __init__(self, argv, log, env=None):
        self._log = log
        self._argv = argv
        with open(log, "ab") as out:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                             stderr=out, env=env, start_new_session=True)

    def wait_ready(self, ready, seconds=60.0):
        def now():
            if self._process.poll() is not None:
                raise AssertionError(f"{self._argv[0]} ended:\n{self.log_tail()}")
            return ready()
        try:
            wait_until(now, f"{self._argv[0]} to be ready", seconds)
        except Hung as hung:
            raise Hung(f"{hung}\n{self.log_tail()}") from None

    def log_tail(self):
        with open(self._log, "rb") as log:
            return log.read()[-3000:].decode(errors="replace")

    def stop(self, seconds=15.0):
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
        _end_group(self._process)
