"""Instructions of the shim, by callgrind: the same on a busy machine.

The low-level runtime is a file that cannot be executed, so that the shim ends
itself after its work, with the error that this is; callgrind would otherwise
count the runtime instead. It does not know openat2, so the walk in its place
is counted (sys/rooted_open.cpp).

The counts of a state and of a create stand in recorded_instructions.json, one
pair for each major version of a compiler, and may differ from it by 3 % in
either direction: a gain that nobody records hides the next loss."""

import json
import os
import re
import shutil
import subprocess

from lib import machine

import subjects
import times

RECORDED = subjects.HERE / "recorded_instructions.json"
MOST_DEVIATION = 0.03
# So that the caller's own variables are not counted.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}


def instructions(figures, record=False):
    valgrind = machine.find_program("valgrind")
    if not valgrind:
        figures.cannot("instructions", "valgrind is not installed")
        return
    no_program = subjects.WORK / "no-program"
    no_program.parent.mkdir(parents=True, exist_ok=True)
    no_program.write_bytes(b"\0")
    no_program.chmod(0o755)

    def count(*words):
        # Records of earlier parts would be read and counted.
        shutil.rmtree("/run/gantry", ignore_errors=True)
        ended = subprocess.run(
            [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", subjects.shim(),
             *times.GLOBALS, *words], capture_output=True, text=True, check=False, timeout=60,
            env=ENVIRONMENT)
        found = re.search(r"Collected : (\d+)", ended.stderr)
        if ended.returncode != 1 or "GTY-111" not in ended.stderr or not found:
            raise AssertionError(f"{words}: status {ended.returncode}: {ended.stderr}")
        return int(found[1])

    def count_create(spec):
        bundle = subjects.make_bundles("count", spec, 1).replace("{}", "0")
        return count("create", "--bundle", bundle, "c3")

    subjects.configure(no_program, subjects.h100_host())
    gpus = subjects.docker_spec(60 << 10, subjects.make_rootfs(), "NVIDIA_VISIBLE_DEVICES=all")
    compare(figures, {"state": count("state", "c1"), "create, 8 GPUs": count_create(gpus)}, record)

    counts = []
    for size, selectors, partitions in ((256 << 10, 128, 16), (1 << 20, 512, 64)):
        subjects.configure(no_program, subjects.partitioned_host(partitions))
        counts.append(count_create(times.large_spec(size, selectors, partitions)))
    figures.note(f"the large create: {counts[1] / 1e6:.1f} M")
    figures.show("all of it four times as large", counts[1] / counts[0], " x", 4, 5)


def compare(figures, counted, record):
    compiler = os.environ.get("GANTRY_COMPILER", "an unknown compiler")
    recorded = json.loads(RECORDED.read_text())
    if record:
        recorded[compiler] = counted
        RECORDED.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")
        figures.note(f"recorded for {compiler} in {RECORDED.name}")
    known = recorded.get(compiler)
    for what, number in counted.items():
        figures.show(f"instructions of a {what}", number / 1e6, " M")
        if known:
            figures.within(f"  beside the {known[what]:,} recorded", number / known[what] - 1,
                           MOST_DEVIATION)
    if not known:
        figures.note(f"not compared: {RECORDED.name} has {', '.join(sorted(recorded))}, and this "
                     f"is built by {compiler}, whose code differs by more than the gate; "
                     "bench.py --record adds it")
