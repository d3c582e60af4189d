"""Worst cases beside PEPit's, one thread, CPU seconds, alternating; and what a worst case costs as
it grows.

    python -m benchmarks.worst_case [--repeats 3] [--only peers|costs]

Importing is not counted: it took 1.3 CPU seconds for PEPit, 0.5 for us. PEPit is given Clarabel,
since its default, SCS, is less accurate. Values must agree to a millionth, or the run fails.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
}
AGREE = 1e-6
PEPIT = HERE / ".envs" / "pepit" / "bin" / "python"


class Peer:
    """A contender that answers one worst case after the other."""

    def __init__(self, python: Path, script: str) -> None:
        self.process = subprocess.Popen(
            [str(python), str(HERE / "contenders" / script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | ONE_THREAD,
        )
        self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args!r} stopped")
        return json.loads(line)

    def solve(self, case: str | dict[str, Any] | tuple[str, ...]) -> dict[str, Any]:
        """The answer to one of CASES by name, or to a case of the same form."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def stop(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()


def compare(repeats: int) -> list[dict[str, Any]]:
    """Every common case by both, in turn."""
    from worst_case_cases import CASES

    ours = Peer(Path(sys.executable), "ours_worst_case.py")
    theirs = Peer(PEPIT, "pepit_worst_case.py")
    results = []
    for case in CASES:
        runs = [(ours.solve(case["name"]), theirs.solve(case["name"])) for _ in range(repeats)]
        (mine, other), times = runs[0], [[run[k]["seconds"] for run in runs] for k in (0, 1)]
        n = len(case["delivers"])
        exact = 1 / (4 * n + 2) if case["name"].startswith("gradient descent") else None
        results.append(
            {
                "name": case["name"],
                "ours": mine["value"],
                "status": mine["status"],
                "pepit": other["value"],
                "closed_form": exact,
                "difference": abs(mine["value"] - other["value"]),
                "seconds": median(times[0]),
                "pepit_seconds": median(times[1]),
                "all": times,
            }
        )
    ours.stop()
    theirs.stop()
    return results


def peers_table(results: list[dict[str, Any]], repeats: int) -> str:
    """Values, differences and ratios of CPU time."""
    lines = [
        (
            "# Worst cases: fltheory and PEPit 0.5.1 with Clarabel, CPU seconds on one thread,"
            f" median of {repeats} alternating runs ({platform.machine()})"
        ),
        "",
        (
            "| case | fltheory | PEPit | difference | from L/(4n+2), relative | fltheory, s |"
            " PEPit, s | ratio |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        known = (
            f"{r['ours'] / r['closed_form'] - 1:.1e}, PEPit {r['pepit'] / r['closed_form'] - 1:.1e}"
            if r["closed_form"]
            else ""
        )
        lines.append(
            f"| {r['name']} | {r['ours']:.9f} | {r['pepit']:.9f} | {r['difference']:.1e} | {known}"
            f" | {r['seconds']:.3f} | {r['pepit_seconds']:.3f} |"
            f" {r['pepit_seconds'] / r['seconds']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def costs() -> list[dict[str, Any]]:
    """What a worst case costs against rounds, local steps and classes, for a thousand clients."""
    import numpy as np

    from fltheory import Trace
    from fltheory.analysis.worst_case.answer import worst_case
    from fltheory.analysis.worst_case.case import Case
    from fltheory.analysis.worst_case.function_classes import FunctionClass
    from fltheory.analysis.worst_case.question import Conditions, Question

    question = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))

    def traced(rounds: int, classes: tuple[int, ...], steps: int) -> Trace:
        """Everybody in round 0; then class c every c + 1 rounds."""
        periods = np.repeat(np.arange(1, len(classes) + 1), classes)
        return Trace.fresh(np.arange(rounds)[:, None] % periods == 0, local_steps=steps)

    grid: list[tuple[str, int, tuple[int, ...], int]] = [
        ("rounds", rounds, (500, 500), 1) for rounds in (5, 10, 20, 30, 40)
    ]
    grid += [("local steps", 4, (1000,), steps) for steps in (1, 2, 4, 6)]
    grid += [
        ("classes", 10, sizes, 1)
        for sizes in ((1000,), (500, 500), (1, 999), (400, 300, 300), (250,) * 4)
    ]
    worst_case(Case("mifa", traced(3, (2, 2), 1), question, "1/2"))
    found = []
    for varied, rounds, classes, steps in grid:
        case = Case(
            "mifa",
            traced(rounds, classes, steps),
            question,
            "1/2" if steps == 1 else f"1/{2 * steps}",
        )
        begin = time.process_time()
        answer = worst_case(case)
        found.append(
            {
                "varied": varied,
                "rounds": rounds,
                "classes": list(classes),
                "local_steps": steps,
                "status": answer.status.name,
                "value": answer.value,
                "blocks": list(answer.block_sizes),
                "constraints": answer.num_constraints,
                "seconds": time.process_time() - begin,
            }
        )
    return found


def costs_table(found: list[dict[str, Any]]) -> str:
    """The same in Markdown."""
    lines = [
        (
            "# Cost of a worst case of MIFA for 1000 clients, CPU seconds on one thread "
            f"({platform.machine()})"
        ),
        "",
        (
            "| varied | rounds | classes | local steps | blocks | constraints | value | status |"
            " seconds |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        value = "" if row["value"] is None else f"{row['value']:.8f}"
        lines.append(
            f"| {row['varied']} | {row['rounds']} | {' + '.join(map(str, row['classes']))} |"
            f" {row['local_steps']} | {' + '.join(map(str, row['blocks']))} | {row['constraints']}"
            f" | {value} | {row['status']} | {row['seconds']:.3f} |"
        )
    return "\n".join(lines) + "\n"


def write(name: str, record: Any, table: str) -> None:
    (HERE / "results" / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    (HERE / "results" / f"{name}.md").write_text(table)
    print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["peers", "costs"])
    options = parser.parse_args()
    if options.only != "costs" and not PEPIT.exists():
        print("PEPit is not installed in benchmarks/.envs/pepit; it is left out")
    elif options.only != "costs":
        results = compare(options.repeats)
        write(
            "worst_case",
            {"repeats": options.repeats, "results": results},
            peers_table(results, options.repeats),
        )
        apart = [r["name"] for r in results if r["difference"] > AGREE]
        if apart:
            raise SystemExit(f"values differ by more than {AGREE}: {apart}")
    if options.only != "peers":
        os.environ |= ONE_THREAD
        found = costs()
        write("worst_case_costs", found, costs_table(found))


if __name__ == "__main__":
    main()
