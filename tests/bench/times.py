"""Times of the shim alone: the low-level runtime is a stub."""

import dataclasses
import subprocess

import subjects
from subjects import shim, tool

ATTEMPTS = 3
GLOBALS = ["--root", "/run/bench/root", "--log", "/run/bench/log.json", "--log-format", "json"]


@dataclasses.dataclass
class Timed:
    least: float   # microseconds
    median: float
    used: float    # median of the time on a processor
    peak: int      # KiB


def run_timed(rounds, commands):
    """`commands`: name -> argv. They run in turn; see run_timed.c."""
    argv = [tool("run-timed"), str(rounds)]
    for name, words in commands.items():
        argv += [*(["--"] if len(argv) > 2 else []), name, *map(str, words)]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=200,
                           stdin=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise AssertionError(f"{argv} failed: {ended.stderr}")
    timed = {}
    for line in ended.stdout.splitlines():
        name, *numbers, peak = line.split()
        timed[name] = Timed(*map(float, numbers), int(peak))
    return timed


def wrapper(*words):
    return [tool("exec-wrapper"), tool("stub-runtime"), *words]


def verbs(figures):
    """Calls that only go through, of containers without and with a GPU."""
    subjects.configure(tool("stub-runtime"), subjects.h100_host())
    _create_once("gpu")
    calls = {f"{verb} of {kind} container": [*GLOBALS, verb, name]
             for verb in ("state", "start", "kill")
             for kind, name in (("another", "c1"), ("a GPU", "gpu"))}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ATTEMPTS):
        names = {f"c{number}": call for number, call in enumerate(calls)}
        timed = run_timed(300, {"wrapper": wrapper(*GLOBALS, "state", "c1"),
                                **{name: [shim(), *calls[call]] for name, call in names.items()}})
        for name, call in names.items():
            best[call] = min(best[call], timed[name].median / timed["wrapper"].median)
    for call, ratio in best.items():
        figures.show(f"{call}, over the wrapper", ratio, " x", 1.5, 1.5)
    figures.note(f"the wrapper took {timed['wrapper'].least:.0f} us at least, "
                 f"{timed['wrapper'].median:.0f} us in the middle; medians of 300 calls, "
                 f"best of {ATTEMPTS} attempts")


def _create_once(name):
    bundle = subjects.make_bundles("once", _gpu_spec(60 << 10), 1).replace("{}", "0")
    subprocess.run([shim(), *GLOBALS, "create", "--bundle", bundle, name], check=True, timeout=30)


def _gpu_spec(size):
    return subjects.docker_spec(size, subjects.make_rootfs(), "NVIDIA_VISIBLE_DEVICES=all")


def _show_create(figures, what, spec, rounds, budget, limit, memory_limit):
    """Milliseconds beyond the wrapper. The limit is on processor time: that of the
    clock says as much of the machine's other work as of this."""
    clock = processor = least = float("inf")
    for _ in range(ATTEMPTS):
        bundle = subjects.make_bundles("create", spec, rounds)
        # One id, so that one record is replaced again and again.
        timed = run_timed(rounds, {
            "wrapper": wrapper(*GLOBALS, "create", "c2"),
            "create": [shim(), *GLOBALS, "create", "--bundle", bundle, "c2"]})
        ours, bare = timed["create"], timed["wrapper"]
        clock = min(clock, (ours.median - bare.median) / 1000)
        processor = min(processor, (ours.used - bare.used) / 1000)
        least = min(least, (ours.least - bare.least) / 1000)
    figures.show(f"{what}, on the clock", clock, " ms", budget)
    figures.show(f"{what}, processor", processor, " ms", budget, limit)
    figures.note(f"beyond the wrapper; {least:.2f} ms at least; medians of {rounds}, best of "
                 f"{ATTEMPTS} attempts")
    figures.show("  its memory at the peak", timed["create"].peak / 1024, " MiB", 10, memory_limit)


def create(figures):
    """The edit: eight GPUs, 41 driver files on the host, a spec of 60 KiB."""
    subjects.configure(tool("stub-runtime"), subjects.h100_host())
    _show_create(figures, "create, 8 GPUs", _gpu_spec(60 << 10), 100, 1.5, 3, 10)


def large_spec(size, selectors, partitions):
    """Indices and unique ids by turns; together they name every GPU again and again."""
    words = ",".join(str(number % partitions) if number % 2 else
                     f"{0xE3AA140F9A5F9E31 + number % (partitions // 8):#x}"
                     for number in range(selectors))
    return subjects.docker_spec(size, subjects.make_rootfs(), f"AMD_VISIBLE_DEVICES={words}")


def large(figures):
    """64 partitions, a selector of 512 words, a spec of 1 MiB."""
    subjects.configure(tool("stub-runtime"), subjects.partitioned_host(64))
    _show_create(figures, "create, all of it large", large_spec(1 << 20, 512, 64), 15, 10, 20, 12)
