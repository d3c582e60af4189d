"""Instances per processor second that an attack looks at, by kind of claim; beside another checkout
of this repository if one is given, both in turn on the same claims.

    python -m benchmarks.attacks [--against FOLDER] [--seconds 6] [--repeats 3]

Writes results/attacks.json and results/attacks.md.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent

ONCE = ["local_steps = 1", "server_step_size = 1", "local_step_size*smoothness <= 1"]


class Kind(NamedTuple):
    """A claim that no attack breaks, so that all of its time is search."""

    left: str
    right: str
    assumes: list[str]
    about: list[str]


LEFT, SAFE = "mean_squared_gradient", "10^200*(1 + initial_loss_gap/(local_step_size*num_rounds))"
QUIET = [*ONCE, "gradient_noise = 0"]
KINDS = {
    "runs: gradient descent": Kind(LEFT, SAFE, [*QUIET, "availability_window = 1"], ["fedavg"]),
    "runs: any participation": Kind(LEFT, SAFE, QUIET, ["fedavg"]),
    "runs: local steps": Kind(LEFT, SAFE, [*QUIET[1:]], ["fedavg"]),
    "runs: noise": Kind(LEFT, SAFE + " + 10^200*gradient_noise^2", ONCE, ["fedavg"]),
    "runs: memory": Kind(LEFT, SAFE, QUIET, ["mifa", "fedlaavg"]),
    "runs: memory, noise": Kind(LEFT, SAFE + " + 10^200*gradient_noise^2", ONCE, ["mifa"]),
    "runs: delays": Kind(LEFT, SAFE, QUIET, ["afa-cd"]),
    "formulas": Kind(
        "local_step_size*smoothness/(1 + local_step_size*smoothness)",
        "1 + strong_convexity/(num_rounds*smoothness)",
        ["strong_convexity <= smoothness"],
        [],
    ),
}

WORKER = """
import json, sys, time
from pathlib import Path
from fltheory.attacks.search import attack
from fltheory.papers.claim_files import read_claims
space, seconds, seed = sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
from fltheory.attacks.search import spaces_for
(claim,) = read_claims(Path(sys.argv[1]))
spaces = [one for one in spaces_for(claim) if one.id == space or not claim.about]
attack(claim, seed=seed, attempts=8, spaces=spaces, kinds=())
started = time.process_time()
found = attack(claim, seed=seed, attempts=10**9, seconds=seconds, spaces=spaces, kinds=())
spent = time.process_time() - started
assert not found.refuted, found.evidence
print(json.dumps([found.state.instances, found.state.attempts, spent]))
"""


def claim_file(name: str, kind: Kind) -> Path:
    """The claim as a file."""
    lines = ["[paper]", 'key = "bench"', "", "[[claim]]", 'id = "bench.claim"', f'says = "{name}."']
    lines += [f'left = "{kind.left}"', 'sign = "<="', f'right = "{kind.right}"']
    lines += [f"assumes = {json.dumps(kind.assumes)}"]
    lines += [f"about = {json.dumps(kind.about)}"] if kind.about else []
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"bench-{os.getpid()}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rate(checkout: Path, file: Path, space: str, seconds: float, seed: int) -> float:
    """Instances per processor second of one fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", WORKER, str(file), space, str(seconds), str(seed)],
        capture_output=True,
        text=True,
        check=False,
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: {done.stderr[-2000:]}")
    instances, _, spent = json.loads(done.stdout.splitlines()[-1])
    return float(instances / spent)


def main() -> int:
    """Measure every kind, in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout of this repository")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="part of the names of kinds")
    given = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}
    for name, kind in KINDS.items():
        if given.only not in name:
            continue
        file = claim_file(name, kind)
        here, there, wide = [], [], []
        for seed in range(given.repeats):
            here.append(rate(ROOT, file, "runs", given.seconds, seed))
            if given.against:
                there.append(rate(given.against, file, "runs", given.seconds, seed))
            if kind.about:
                wide.append(rate(ROOT, file, "wide runs", given.seconds, seed))
        file.unlink()
        rows[name] = {"here": median(here)}
        if wide:
            rows[name]["wide"] = median(wide)
        if there:
            rows[name] |= {"there": median(there), "ratio": median(here) / median(there)}
        print(name, {key: round(value, 2) for key, value in rows[name].items()}, flush=True)
    if not given.only:
        write(rows, given.seconds, given.repeats)
    return 0


def write(rows: dict[str, dict[str, float]], seconds: float, repeats: int) -> None:
    """The numbers, and the table."""
    load = os.getloadavg()[0]
    data = {"rows": rows, "seconds": seconds, "repeats": repeats, "load": load}
    data |= {"machine": platform.machine(), "python": platform.python_version()}
    (HERE / "results/attacks.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    head = (
        f"Instances per processor second, medians of {repeats} times {seconds:g} s on one thread,"
        f" load {load:.1f}; `python -m benchmarks.attacks --against FOLDER`.\n\n"
        "| kind | small runs here | wide runs here | small runs there | ratio |\n"
        "|---|--:|--:|--:|--:|\n"
    )
    lines = [
        f"| {name} |"
        + " |".join(
            f" {row[key]:.{2 if key == 'ratio' else 0}f}" if key in row else " -"
            for key in ("here", "wide", "there", "ratio")
        )
        + " |"
        for name, row in rows.items()
    ]
    text = head + "\n".join(lines) + "\n"
    (HERE / "results/attacks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
