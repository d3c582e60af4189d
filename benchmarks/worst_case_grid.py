"""How worst cases grow beside PEPit and AutoLyap: gradient descent to 200 steps, MIFA to 60 rounds,
to 10 local steps and to 10 classes of clients; CPU seconds on one thread, in turn.

    python -m benchmarks.worst_case_grid [--most 8] [--only steps|rounds|local|classes]

A contender is asked for the next size as long as its last answer took at most `--most` CPU
seconds. AutoLyap is asked for gradient descent alone: it has no local steps, and knows no bound on
the slopes of the clients at the optimum. Ours must be NUMERICAL, that is accurate to 1e-7, and the
values of peers must agree to a millionth, or the run fails. The growth exponent is the slope of log
seconds over log size, over the larger half of the sizes.

Writes results/worst_case_grid.json and results/worst_case_grid.md.
"""

import argparse
import json
import math
import os
import platform
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.worst_case import AGREE, HERE, PEPIT, Peer, write

sys.path.insert(0, str(HERE))
from worst_case_cases import STRONG, case, everyone

AUTOLYAP = HERE / ".envs" / "autolyap" / "bin" / "python"


class Family(NamedTuple):
    """Cases that differ by one size."""

    says: str
    sizes: tuple[int, ...]
    autolyap: bool = False

    def case(self, name: str, size: int) -> dict[str, Any]:
        """The case of a size, as all contenders read it."""
        return made(name, size)


def periodic(rounds: int, clients: int) -> list[list[int]]:
    """Client i delivers every i + 1 rounds."""
    return [[int(t % (i + 1) == 0) for i in range(clients)] for t in range(rounds)]


def made(family: str, size: int) -> dict[str, Any]:
    """The case of a family and a size."""
    if family == "steps":
        return case(f"{size} steps", "average", everyone(size), size=1.0, distance=1.0)
    if family == "rounds":
        return case(f"{size} rounds", "memory", periodic(size, 2), **STRONG)
    if family == "local":
        return case(
            f"{size} local steps",
            "memory",
            periodic(4, 2),
            local_steps=size,
            **STRONG | {"size": 0.5 / size},
        )
    return case(f"{size} classes", "memory", periodic(10, size), **STRONG)


FAMILIES = {
    "steps": Family(
        "gradient descent, steps", (10, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200), True
    ),
    "rounds": Family("MIFA, two clients, rounds", (10, 20, 30, 40, 50, 60)),
    "local": Family("MIFA, two clients, 4 rounds, local steps", tuple(range(1, 11))),
    "classes": Family("MIFA, 10 rounds, classes of clients", tuple(range(1, 11))),
}


def run(most: float, only: str | None) -> list[dict[str, Any]]:
    """Every family by every contender, size by size."""
    found = []
    for name, family in FAMILIES.items():
        if only not in (None, name):
            continue
        peers = {"ours": Peer(Path(sys.executable), "ours_worst_case.py")}
        if PEPIT.exists():
            peers["pepit"] = Peer(PEPIT, "pepit_worst_case.py")
        if family.autolyap and AUTOLYAP.exists():
            peers["autolyap"] = Peer(AUTOLYAP, "autolyap_descent.py")
        asked = set(peers)
        for size in family.sizes:
            row: dict[str, Any] = {"family": name, "size": size}
            for who in sorted(asked, reverse=True):
                told = peers[who].solve(family.case(name, size))
                row[who] = told["value"]
                row[f"{who} seconds"] = round(told["seconds"], 3)
                if who == "ours":
                    row["status"], row["estimated"] = told["status"], told["estimated"]
                elif told["seconds"] > most:
                    asked.remove(who)
            print(row, flush=True)
            found.append(row)
        for peer in peers.values():
            peer.stop()
    return found


def exponent(rows: list[dict[str, Any]], who: str) -> float | None:
    """The slope of log seconds over log size, by least squares over the larger half of the sizes
    (at least three)."""
    told = [
        (math.log(r["size"]), math.log(r[f"{who} seconds"])) for r in rows if f"{who} seconds" in r
    ]
    told = told[min(len(told) // 2, max(len(told) - 3, 0)) :]
    if len(told) < 3:
        return None
    x, y = (sum(column) / len(told) for column in zip(*told, strict=True))
    return sum((a - x) * (b - y) for a, b in told) / sum((a - x) ** 2 for a, _ in told)


def problems(found: list[dict[str, Any]]) -> list[str]:
    """Sizes without an accurate answer of ours, and values that differ."""
    wrong = []
    for row in found:
        where = f"{row['family']} {row['size']}"
        if row["status"] != "NUMERICAL":
            wrong.append(f"{where}: {row['status']}")
            continue
        for who in ("pepit", "autolyap"):
            if row.get(who) is not None and abs(row[who] - row["ours"]) > AGREE:
                wrong.append(f"{where}: {who} {row[who]}, ours {row['ours']}")
    return wrong


def table(found: list[dict[str, Any]], most: float) -> str:
    """Seconds, ratios and exponents of each family."""
    lines = [
        (
            "# Growth of worst cases beside PEPit 0.5.1 and AutoLyap 0.2.1 (both with Clarabel),"
            f" CPU seconds on one thread ({platform.machine()}), one run each"
        ),
        "",
        f"A contender goes on to the next size as long as it took at most {most:g} s.",
    ]
    for name, family in FAMILIES.items():
        rows = [row for row in found if row["family"] == name]
        if not rows:
            continue
        lines += [
            "",
            f"## {family.says}",
            "",
            "| size | value | ours, s | estimated, s | PEPit, s | AutoLyap, s | best peer / ours |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in rows:
            others = [
                row[f"{who} seconds"] for who in ("pepit", "autolyap") if f"{who} seconds" in row
            ]
            ratio = f"{min(others) / row['ours seconds']:.1f}" if others else "-"
            value = "-" if row["ours"] is None else f"{row['ours']:.9g}"
            lines.append(
                f"| {row['size']} | {value} | {row['ours seconds']:.2f} | {row['estimated']:.2f}"
                f" | {shown(row.get('pepit seconds'))} | {shown(row.get('autolyap seconds'))}"
                f" | {ratio} |"
            )
        told = ", ".join(
            f"{who} {slope:.1f}"
            for who, slope in (
                (who, exponent(rows, key))
                for who, key in (("ours", "ours"), ("PEPit", "pepit"), ("AutoLyap", "autolyap"))
            )
            if slope is not None
        )
        lines += ["", f"Growth exponents: {told}."]
    return "\n".join(lines) + "\n"


def shown(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=float, default=8.0)
    parser.add_argument("--only", choices=list(FAMILIES))
    options = parser.parse_args()
    found = run(options.most, options.only)
    stored = HERE / "results" / "worst_case_grid.json"
    if options.only and stored.exists():  # the other families stay as they were
        found += [
            row
            for row in json.loads(stored.read_text())["results"]
            if row["family"] != options.only
        ]
    record = {"most": options.most, "load": os.getloadavg()[0], "results": found}
    write("worst_case_grid", record, table(found, options.most))
    if wrong := problems(found):
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
