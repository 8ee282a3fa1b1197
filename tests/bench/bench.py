#!/usr/bin/env python3
"""The benchmark: what Gantry adds to a container's life, beside the budgets.

    bench.py            as root, with GANTRY_BIN and GANTRY_BENCH_TOOLS (ctest -L bench)
    bench.py --record   counts instructions alone, and records them for this compiler
                        (by hand: cmake --build build/release --target record-instructions)

Times are ratios or differences to a minimal static program that does nothing
but execve, measured in turn with it in the same run; instruction counts, which
no other load on the machine changes, are the finer gate. Each figure has the
budget of the design and a limit, at which this test fails: wide enough that a
busy machine does not fail it. Exit status: 0 passed, 77 cannot run here.
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "integration")]
sys.dont_write_bytecode = True

from lib import environment, view  # noqa: E402

import counting  # noqa: E402
import life  # noqa: E402
import times  # noqa: E402
from figures import Figures  # noqa: E402

SECONDS = 280


def record():
    figures = Figures(optimised=True)
    counting.instructions(figures, record=True)
    return figures.end()


def measure():
    figures = Figures(optimised=os.environ.get("GANTRY_BUILD_TYPE") == "Release")
    for part in (times.verbs, times.create, times.large, life.whole, counting.instructions):
        part(figures)
    return figures.end()


def main():
    sys.stdout.reconfigure(line_buffering=True)
    if os.geteuid() != 0:
        reason = "the shim's records are root's, below a private /run"
    else:
        keep = [environment.SOURCE, environment.BIN, environment.TOOLS,
                pathlib.Path(os.environ["GANTRY_BENCH_TOOLS"])]
        try:
            wanted = record if sys.argv[1:] == ["--record"] else measure
            return view.run_in_own_view(wanted, keep, SECONDS)
        except LookupError as problem:
            reason = str(problem)
    print(f"skipped: {reason}")
    return 1 if environment.MUST_WORK else 77


if __name__ == "__main__":
    sys.exit(main())
