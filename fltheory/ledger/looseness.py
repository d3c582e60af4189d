"""Looseness of a bound: the worst case over all functions of a theorem's class, divided by the
right side, along sweeps of the parameters."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NotRequired, TypedDict

from fltheory.claims.bound_sweeps import BoundSweep, SweepPoint
from fltheory.claims.claim import evaluate
from fltheory.core.errors import InvalidInput
from fltheory.papers import find_claim
from fltheory.papers.library import entries
from fltheory.traces.trace_statistics import known_staleness


class LoosenessRow(TypedDict):
    """One worst case beside the bound; `ratio` is None if no worst case could be computed, and
    `status` says how far the number can be trusted."""

    along: NotRequired[str]
    theorem: str
    num_rounds: int
    local_steps: int
    max_staleness: int
    mean_staleness: float
    worst_case: float | None
    bound: float
    ratio: float | None
    status: str
    why: str


SWEEPS: dict[str, tuple[SweepPoint, ...]] = {
    "num_rounds": tuple(SweepPoint(num_rounds=n) for n in (2, 4, 6, 8, 12)),
    "local_steps": tuple(SweepPoint(num_rounds=3, local_steps=k) for k in (1, 2, 3)),
    "max_staleness": tuple(SweepPoint(num_rounds=8, period=p) for p in (1, 2, 4, 8)),
    "mean_staleness": tuple(
        SweepPoint(num_rounds=8, period=4, late=n) for n in (0, 1, 3, 5, 8, 10)
    ),
}
"""The quantity that is varied, and the points of its sweep."""


def theorems() -> dict[str, BoundSweep]:
    """What papers declare in LOOSENESS, by the id of the claim."""
    found: dict[str, BoundSweep] = {}
    for entry in entries("LOOSENESS"):
        if not isinstance(entry, BoundSweep):
            raise InvalidInput("LOOSENESS", "hold BoundSweeps", repr(entry)[:60])
        if entry.claim in found:
            raise InvalidInput(f"LOOSENESS of {entry.claim}", "be declared once", "a second one")
        found[entry.claim] = entry
    return found


def looseness(
    theorem: str, at: SweepPoint, known: Mapping[str, BoundSweep] | None = None
) -> LoosenessRow:
    """The worst case of one point of a sweep beside the bound of the theorem.

    >>> row = looseness("afl.thm2c", SweepPoint(num_rounds=3, period=1))
    >>> round(row["ratio"], 4), row["status"]
    (0.3281, 'NUMERICAL')
    """
    from fltheory.analysis.worst_case.answer import worst_case

    sweep = _known(theorem, theorems() if known is None else known)
    case, values = sweep.asks(at)
    claim = sweep.claim_at(at)
    common = {
        "num_rounds": at.num_rounds,
        "num_clients": case.trace.num_clients,
        "local_steps": at.local_steps,
        "smoothness": 1,
        "gradient_noise": 0,
    }
    stated = find_claim(claim) if sweep.stated is None else sweep.stated
    bound = float(evaluate(stated.statement.right, common | values))
    found = worst_case(case)
    ages = known_staleness(case.trace) if case.trace.num_clients > 1 else case.trace.delays
    return {
        "theorem": claim,
        "num_rounds": at.num_rounds,
        "local_steps": at.local_steps,
        "max_staleness": int(ages.max()),
        "mean_staleness": float(ages.mean()),
        "worst_case": found.value,
        "bound": bound,
        "ratio": None if found.value is None else found.value / bound,
        "status": found.status.name,
        "why": found.why,
    }


def _known(theorem: str, known: Mapping[str, BoundSweep]) -> BoundSweep:
    if theorem not in known:
        raise InvalidInput("theorem", f"be one of {', '.join(known)}", repr(theorem)[:60])
    return known[theorem]


def table(
    chosen: list[str],
    sweeps: list[str],
    *,
    known: Mapping[str, BoundSweep] | None = None,
    watch: Callable[[int, str], None] = lambda *_: None,
) -> Iterator[LoosenessRow]:
    """All rows of the chosen sweeps; `watch` is told the number of rows and what is computed. A
    point that a claim of one's own does not admit has no row; where staleness is not what is
    varied, all clients may be there in every round."""
    known = theorems() if known is None else known
    for sweep in sweeps:
        if sweep not in SWEEPS:
            raise InvalidInput("sweep", f"be one of {', '.join(SWEEPS)}", repr(sweep)[:60])
    for theorem in chosen:
        _known(theorem, known)
    total = len(chosen) * sum(len(SWEEPS[sweep]) for sweep in sweeps)
    for sweep in sweeps:
        for theorem in chosen:
            for at in SWEEPS[sweep]:
                watch(total, f"{theorem} along {sweep.replace('_', ' ')}")
                points = [at] if "staleness" in sweep else [at, replace(at, late=0)]
                admitted = [point for point in points if known[theorem].admits(point)]
                if admitted:
                    yield {"along": sweep, **looseness(theorem, admitted[0], known)}
