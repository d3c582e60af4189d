"""The region that a search has seen: counted on the admissible runs themselves, so that a report
says no more than was tried."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fltheory.claims.checks.instances import Instance
from fltheory.core.words import counted

Seen = Mapping[str, tuple[float, float]]
"""The least and the largest value of each respect in which runs differ; kinds of losses and laws of
participation count as 1."""

COUNTED = {"clients": "client", "rounds": "round", "local steps": "local step"}


def widened(seen: Seen, instance: Instance) -> dict[str, tuple[float, float]]:
    """What has been seen, with one more run."""
    run: Any = (instance.scenario or {}).get("run")
    found = dict(seen)
    for name, value in _respects(run).items() if run else ():
        low, high = found.get(name, (value, value))
        found[name] = (min(low, value), max(high, value))
    return found


def _respects(run: Any) -> dict[str, float]:
    trace, problem = run["trace"], run["problem"]
    rows, started = trace["delivers"], trace["started_from"]
    table: list[list[str]] = problem.get("curvatures") or []
    bends = [abs(Fraction(h)) for row in table for h in row]
    found = {
        "clients": float(len(rows[0])),
        "rounds": float(len(rows)),
        "local steps": float(max(max(row) for row in trace["local_steps"])),
        "delay": float(max(t - min(row) for t, row in enumerate(started))),
        "coordinates": float(len(run["start"])),
        "importance": min(float(Fraction(x)) for x in problem.get("importance") or ["1"]),
        "variance of the noise": float(Fraction(problem.get("noise_squared") or 0)),
        f"kind {problem['kind']}": 1.0,
    }
    if bends and all(bends):
        found["condition number"] = float(max(bends, default=1) / min(bends, default=1))
    signs = {h[0] == "-" for row in table for h in row}
    if len(signs) > 1:
        found["curvatures of both signs"] = 1.0
    law = run.get("participation")
    if law:
        found[f"law {law['kind']}"] = 1.0
    return found


def told_seen(seen: Seen) -> str:
    """What was seen, in one sentence.

    >>> told_seen({"clients": (1.0, 1000.0), "rounds": (2.0, 2.0), "kind quadratic": (1.0, 1.0)})
    'The runs had 1 to 1000 clients and 2 rounds; losses: quadratic.'
    """
    if not seen:
        return "No run of it met the conditions."
    sizes = [_range(seen[name], one) for name, one in COUNTED.items() if name in seen]
    for name in ("delay", "coordinates", "variance of the noise"):
        high = seen.get(name, (0.0, 0.0))[1]
        if high > (1 if name == "coordinates" else 0):
            sizes.append(f"{name} up to {high:g}" if name != "coordinates" else f"{high:g} {name}")
    if seen.get("condition number", (1.0, 1.0))[1] > 1:
        sizes.append(f"condition numbers up to {seen['condition number'][1]:.3g}")
    if "curvatures of both signs" in seen:
        sizes.append("curvatures of both signs")
    if "importance" in seen:
        sizes.append(f"importance down to {seen['importance'][0]:.3g}")
    told = f"{', '.join(sizes[:-1])} and {sizes[-1]}" if len(sizes) > 1 else sizes[0]
    kinds = sorted(name[5:] for name in seen if name.startswith("kind "))
    laws = sorted(name[4:] for name in seen if name.startswith("law "))
    ending = f"; participation: {', '.join(laws)}" if laws else ""
    return f"The runs had {told}; losses: {', '.join(kinds)}{ending}."


def _range(pair: tuple[float, float], what: str) -> str:
    low, high = int(pair[0]), int(pair[1])
    return counted(high, what) if low == high else f"{low} to {counted(high, what)}"
