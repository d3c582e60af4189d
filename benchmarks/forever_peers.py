"""Rates of gradient descent for every horizon beside AutoLyap's, one thread, CPU seconds, in turn.

    python -m benchmarks.forever_peers [--repeats 3]

AutoLyap (0.2.1, GPL, called as a program of its own through its documented functions) is given
Clarabel and the same tolerance. It knows more methods and targets than we do; it has no delays, no
availability, no noise and no exact arithmetic, so gradient descent is what both can do. Importing
is not counted. Our rate is certified and must be at least the true one, max((1 - eta mu)^2, (1 -
eta L)^2), and at most a millionth of the distance to 1 above it, or the run fails.

Writes results/forever_peers.json and results/forever_peers.md.
"""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path
from statistics import median

from benchmarks.worst_case import Peer

HERE = Path(__file__).parent
AUTOLYAP = HERE / ".envs" / "autolyap" / "bin" / "python"


def true_rate(convexity: str, step: str) -> Fraction:
    """max((1 - eta mu)^2, (1 - eta L)^2) with L = 1."""
    size = Fraction(step)
    return max((1 - size * Fraction(convexity)) ** 2, (1 - size) ** 2)


def compare(repeats: int) -> list[dict[str, object]]:
    """Every case by both, in turn."""
    sys.path.insert(0, str(HERE))
    from forever_cases import CASES

    ours, theirs = Peer(Path(sys.executable), "ours_rate.py"), Peer(AUTOLYAP, "autolyap_rate.py")
    lines: list[dict[str, object]] = []
    try:
        for case in CASES:
            runs = [(ours.solve(case), theirs.solve(case)) for _ in range(repeats)]
            (mine, other), exact = runs[0], true_rate(*case)
            rate = Fraction(mine["value"])
            if (
                mine["status"] != "CERTIFIED"
                or not exact <= rate <= exact + (1 - exact) / 10**6 * 2
            ):
                raise SystemExit(f"{case}: {mine} beside {exact}")
            lines.append(
                {
                    "case": f"mu = {case[0]}, eta = {case[1]}",
                    "above": float(rate - exact),
                    "theirs above": float(other["value"] - exact),
                    "seconds": round(median(run[0]["seconds"] for run in runs), 4),
                    "their seconds": round(median(run[1]["seconds"] for run in runs), 4),
                }
            )
    finally:
        ours.stop()
        theirs.stop()
    return lines


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    lines = compare(repeats)
    text = (
        "# Gradient descent for every horizon, beside AutoLyap 0.2.1\n\nMedian CPU seconds of"
        f" {repeats}, one thread, imports not counted; how far the rate lies above the true one"
        " (below it, a rate is wrong).\n\n| case | ours above | AutoLyap above | ours, s |"
        " AutoLyap, s | ratio |\n|---|---|---|---|---|---|\n"
    )
    for one in lines:
        ratio = float(str(one["their seconds"])) / float(str(one["seconds"]))
        text += (
            f"| {one['case']} | {one['above']:.1e} | {one['theirs above']:.1e} |"
            f" {one['seconds']} | {one['their seconds']} | {ratio:.2f} |\n"
        )
    result = HERE / "results" / "forever_peers.json"
    result.write_text(json.dumps(lines, indent=1) + "\n")
    result.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
