"""A container's whole life with real runc: create, start, delete."""

import subprocess

from lib import machine

import subjects
import times

ROUNDS = 40


def whole(figures):
    what = "create, start, delete over plain runc"
    runc = machine.find_program("runc")
    if not runc:
        figures.cannot(what, "runc is not installed")
        return
    subjects.configure(runc, subjects.h100_host())
    spec = subjects.docker_spec(60 << 10, subjects.make_rootfs(), "NVIDIA_VISIBLE_DEVICES=all")
    # Docker's hook would look for Docker, and its files are not here.
    del spec["hooks"]
    spec["mounts"] = [mount for mount in spec["mounts"] if mount["type"] != "bind"]
    spec["linux"]["cgroupsPath"] = "/gantry-bench"
    script = str(subjects.HERE / "life.sh")
    plain = subjects.make_bundles("plain", spec, ROUNDS)
    ours = subjects.make_bundles("ours", spec, ROUNDS)
    try:
        timed = times.run_timed(ROUNDS, {
            "plain": ["/bin/sh", script, runc, plain, "life"],
            "ours": ["/bin/sh", script, subjects.shim(), ours, "life"]})
    except AssertionError as problem:
        subprocess.run([runc, "delete", "--force", "life"], check=False, timeout=30,
                       capture_output=True)
        figures.cannot(what, str(problem).strip().splitlines()[-1])
        return
    # The least of many: runc, being in Go, is uneven by more than the budget.
    figures.show(what, (timed["ours"].least - timed["plain"].least) / 1000, " ms", 10, 30)
    figures.note(f"plain took {timed['plain'].least / 1000:.0f} ms at least, "
                 f"{timed['plain'].median / 1000:.0f} ms in the middle; with Gantry "
                 f"{timed['ours'].median / 1000:.0f} ms in the middle; {ROUNDS} lives each")
