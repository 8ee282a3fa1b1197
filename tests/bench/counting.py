"""Instructions of the shim, by callgrind: the same on a busy machine.

The low-level runtime is a file that cannot be executed, so that the shim ends
itself after its work, with the error that this is; callgrind would otherwise
count the runtime instead. It does not know openat2, so the walk in its place
is counted (sys/rooted_open.cpp)."""

import re
import subprocess

from lib import machine

import subjects
import times

# Figures of gcc 12 as of the first version; the limits leave other compilers room.
LIMITS = {"state": 350_000, "create": 5_500_000}


def instructions(figures):
    valgrind = machine.find_program("valgrind")
    if not valgrind:
        figures.cannot("instructions", "valgrind is not installed")
        return
    no_program = subjects.WORK / "no-program"
    no_program.write_bytes(b"\0")
    no_program.chmod(0o755)

    def count(*words):
        ended = subprocess.run(
            [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", subjects.shim(),
             *times.GLOBALS, *words], capture_output=True, text=True, check=False, timeout=60)
        found = re.search(r"Collected : (\d+)", ended.stderr)
        if ended.returncode != 1 or "GTY-111" not in ended.stderr or not found:
            raise AssertionError(f"{words}: status {ended.returncode}: {ended.stderr}")
        return int(found[1])

    def count_create(spec):
        bundle = subjects.make_bundles("count", spec, 1).replace("{}", "0")
        return count("create", "--bundle", bundle, "c3")

    subjects.configure(no_program, subjects.h100_host())
    figures.show("instructions of a state", count("state", "c1") / 1e6, " M",
                 limit=LIMITS["state"] / 1e6)
    gpus = subjects.docker_spec(60 << 10, subjects.make_rootfs(), "NVIDIA_VISIBLE_DEVICES=all")
    figures.show("instructions of a create, 8 GPUs", count_create(gpus) / 1e6, " M",
                 limit=LIMITS["create"] / 1e6)

    counts = []
    for size, selectors, partitions in ((256 << 10, 128, 16), (1 << 20, 512, 64)):
        subjects.configure(no_program, subjects.partitioned_host(partitions))
        counts.append(count_create(times.large_spec(size, selectors, partitions)))
    figures.note(f"the large create: {counts[1] / 1e6:.1f} M")
    figures.show("all of it four times as large", counts[1] / counts[0], " x", 4, 5)
