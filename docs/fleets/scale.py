"""How the cost of `fltheory advise` grows with a sparse log: `python -m docs.fleets.scale` prints a
table of CPU seconds and memory."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZES = (1_000, 10_000, 100_000)
STRETCHES = 20
"""Stretches of availability of each client."""


def write_log(path: Path, size: int) -> int:
    """As many clients as rounds of a second, each there for some stretches of up to a hundredth of
    the log; returns the file's bytes."""
    draw = np.random.default_rng(size)
    with path.open("w", encoding="utf-8") as file:
        file.write(f"client,start,end\nfirst,0,{size}\n")
        for client in range(size - 1):
            begins = np.sort(draw.integers(0, size, STRETCHES))
            ends = np.minimum(begins + draw.integers(1, max(size // 100, 2), STRETCHES), size)
            file.writelines(
                f"phone_{client},{begin},{end}\n" for begin, end in zip(begins, ends, strict=True)
            )
    return path.stat().st_size


def main() -> None:
    """A line for each size; each runs as a process of its own, with report and weights."""
    print("| clients | rounds | rows | file | CPU s | memory |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        for size in SIZES:
            bytes_ = write_log(log, size)
            command = [
                sys.executable,
                "-c",
                "from fltheory.cli import main; main()",
                "advise",
                str(log),
                "--round-seconds",
                "1",
                "--output",
                f"{folder}/a.html",
                "--weights",
                f"{folder}/w.csv",
            ]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(
                f"| {size:,} | {size:,} | {(size - 1) * STRETCHES + 1:,} | {bytes_ / 1e6:.1f} MB |"
                f" {seconds:.1f} | {after.ru_maxrss / 1024:.0f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
