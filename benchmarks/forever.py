"""What a theorem for every horizon costs: CPU seconds on one thread of a fresh process, of the
search and of the standalone checker, against staleness and local steps.

    python -m benchmarks.forever [--repeats 3]

Writes results/forever.json and results/forever.md. A limit that is exceeded is told and ends with
exit code 1.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
ROOT = HERE.parent
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
STRONG = ("--strong-convexity", "1/10")
CASES: dict[str, tuple[tuple[str, ...], float | None]] = {
    "gradient descent": (("fedavg", "0", "1", *STRONG), 1.0),
    "MIFA, staleness 1": (("mifa", "1", "3/4", *STRONG), 1.0),
    "MIFA, staleness 3": (("mifa", "3", "3/8", *STRONG), 1.0),
    "MIFA, staleness 10": (("mifa", "10", "3/22", *STRONG), None),
    "MIFA, staleness 20": (("mifa", "20", "1/14", *STRONG), 2.0),
    "MIFA, staleness 50": (("mifa", "50", "1/34", *STRONG), None),
    "not convex, staleness 3": (("mifa", "3", "3/8", "--nonconvex"), 1.0),
    "not convex, staleness 20": (("mifa", "20", "1/14", "--nonconvex"), 2.0),
    "all steps, staleness 3": (("mifa", "3", "3/8", *STRONG, "--all-steps"), 2.0),
    "all steps, falling, staleness 20": (
        ("mifa", "20", "1/14", *STRONG, "--all-steps", "--falling"),
        None,
    ),
    "2 local steps, staleness 3": (("mifa", "3", "1/40", *STRONG, "--local-steps", "2"), None),
    "5 local steps, staleness 3": (("mifa", "3", "1/40", *STRONG, "--local-steps", "5"), None),
    "10 local steps, staleness 3": (("mifa", "3", "1/40", *STRONG, "--local-steps", "10"), None),
    "largest step, staleness 3": (("mifa", "3", "1/4", *STRONG, "--largest-step"), None),
}
"""(method, staleness, step size, more options) and the limit in CPU seconds, if there is one."""

CHECKER_LIMIT = 1.0


def measured(command: list[str]) -> tuple[float, str]:
    """CPU seconds of a process, with its start, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | ONE_THREAD
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout


def run(name: str, repeats: int) -> dict[str, object]:
    """Medians of one case."""
    (method, staleness, step, *more), limit = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "certificate.json"
        command = [sys.executable, "-m", "fltheory", "forever", "--algorithm", method]
        command += ["--staleness", staleness, "--step-size", step, *more]
        command += ["--certificate", str(file), "--json"]
        found, checked = [], []
        for _ in range(repeats):
            spent, printed = measured(command)
            found.append(spent)
            script = str(ROOT / "verification" / "check_forever.py")
            checked.append(measured([sys.executable, script, str(file)])[0])
        return {
            "case": name,
            "status": json.loads(printed)["status"],
            "search": round(median(found), 3),
            "limit": limit,
            "checker": round(median(checked), 3),
            "bytes": file.stat().st_size,
        }


def main() -> None:
    """Run every case, write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    lines = [run(name, repeats) for name in CASES]
    about = {"machine": platform.machine(), "python": platform.python_version(), "repeats": repeats}
    result = HERE / "results" / "forever.json"
    result.write_text(json.dumps({"about": about, "lines": lines}, indent=1) + "\n")
    rows = [
        f"| {one['case']} | {one['search']} | {one['limit'] or ''} | {one['checker']} |"
        f" {one['bytes']} |"
        for one in lines
    ]
    head = (
        "# Theorems for every horizon\n\nMedian CPU seconds of a fresh process, its start and"
        " imports included, one thread.\n\n| case | search | limit | checker | bytes |\n"
        "|---|---|---|---|---|\n"
    )
    result.with_suffix(".md").write_text(head + "\n".join(rows) + "\n")
    late = [
        str(one["case"])
        for one in lines
        if (isinstance(one["limit"], float) and float(str(one["search"])) > one["limit"])
        or float(str(one["checker"])) > CHECKER_LIMIT
    ]
    print(head + "\n".join(rows))
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
