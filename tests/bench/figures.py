"""The table that the benchmark prints, and what it decides by it."""

from lib import environment


class Figures:
    def __init__(self, optimised):
        self._optimised = optimised
        self._failed = []
        print(f"{'':46}{'figure':>12}{'budget':>10}{'fails at':>10}")

    def show(self, what, value, unit, budget=None, limit=None):
        """`budget` is the design's; None where it names none."""
        def text(number):
            if number is None:
                return ""
            return (f"{number:.2f}" if number < 100 else f"{number:,.0f}") + unit
        mark = ""
        if budget is not None and value > budget:
            mark = "  over budget"
        if limit is not None and value > limit:
            mark = "  FAILED"
            self._failed.append(what)
        print(f"{what:46}{text(value):>12}{text(budget):>10}{text(limit):>10}{mark}")

    def within(self, what, deviation, most):
        """`deviation` of 0.01 is one percent more than what was recorded."""
        mark = ""
        if abs(deviation) > most:
            mark = "  FAILED: correct it, or record it anew (bench.py --record)"
            self._failed.append(what.strip())
        print(f"{what:46}{f'{deviation * 100:+.1f} %':>12}{'':>10}{f'{most * 100:.0f} %':>10}{mark}")

    def note(self, text):
        print(f"  ({text})")

    def cannot(self, what, reason):
        print(f"{what:46}skipped: {reason}")
        if environment.MUST_WORK:
            self._failed.append(what)

    def end(self):
        if not self._optimised:
            print("Not built as Release: figures for a look, no limit counts.")
            return 0
        if self._failed:
            print("failed: " + "; ".join(self._failed))
        return 1 if self._failed else 0
