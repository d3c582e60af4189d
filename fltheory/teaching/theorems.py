"""Numbers of scene 7: both sides of a headline theorem along a run, exactly, and what the ledger
has on every numbered theorem."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypedDict

import numpy as np

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.expressions import to_lists
from fltheory.core.prose import prose_in_text
from fltheory.core.types import BoolArray, ExactLike
from fltheory.ledger import runner
from fltheory.ledger.lines import verdicts
from fltheory.ledger.ranks import level, rank
from fltheory.papers import all_claims, find_claim
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

LEFT = "mean_squared_gradient"
"""What all theorems with a run bound."""

Build = Callable[[int, Fraction, Fraction], Scenario]
"""The run of so many rounds, with a step size and a start."""


def _everybody(rounds: int, clients: int) -> BoolArray:
    return np.ones((rounds, clients), np.bool_)


def _two_local_steps(rounds: int, size: Fraction, start: Fraction) -> Scenario:
    trace = Trace.fresh(_everybody(rounds, 1), local_steps=2)
    return Scenario(
        "afa-cd",
        CommonCurvature(1, (0,)),
        trace,
        start=start,
        local_step_size=size,
        server_step_size=Fraction(1, 20),
    )


def _long_server_steps(rounds: int, size: Fraction, start: Fraction) -> Scenario:
    return Scenario(
        "afa-cd",
        CommonCurvature(1, (0,)),
        Trace.fresh(_everybody(rounds, 1)),
        start=start,
        local_step_size=size,
        server_step_size=60,
    )


def _one_by_one(rounds: int, size: Fraction, start: Fraction) -> Scenario:
    delivers = np.arange(rounds)[:, None] % 4 == np.arange(4)
    delivers[0] = True
    problem = CommonCurvature(1, ("1/2", "-1/2") * 2)
    return Scenario("afa-cs", problem, Trace.fresh(delivers), start=start, local_step_size=size)


def _halves(rounds: int, size: Fraction, start: Fraction) -> Scenario:
    delivers = np.arange(rounds)[:, None] % 2 == np.arange(4) // 2
    problem = Clipped(("-1", "-1/3", "1/3", "1"), bound=3)
    return Scenario("fedlaavg", problem, Trace.fresh(delivers), start=start, local_step_size=size)


def _silent_together(rounds: int, size: Fraction, start: Fraction) -> Scenario:
    delivers = np.repeat(np.arange(rounds)[:, None] % 4 == 0, 4, axis=1)
    problem = Quadratic((1,) * 4, (3, 1, -1, -3))
    return Scenario("mifa", problem, Trace.fresh(delivers), start=start, local_step_size=size)


@dataclass(frozen=True)
class Play:
    """A run for a theorem: its trace, the step size `printed` that the theorem itself is shown at,
    and the claim that corrects it, if there is one, at the largest step size that it allows."""

    build: Build
    printed: Fraction
    says: str
    rounds: int = 24
    corrected: str = ""


PLAYS = {
    "afl.thm2": Play(
        _two_local_steps,
        Fraction(10),
        "the trace of its counterexample: one worker, always there, two local steps",
        rounds=6,
        corrected="afl.thm2star",
    ),
    "afl.thm3": Play(
        _long_server_steps,
        Fraction(1, 20),
        "the trace of its counterexample: one worker, always there",
        rounds=6,
        corrected="afl.thm3star",
    ),
    "afl.thm4": Play(
        _one_by_one,
        Fraction(1, 80),
        "four workers, everybody first, then one by one",
        corrected="afl.thm4star",
    ),
    "fedlaavg.thm3": Play(_halves, Fraction(1, 10), "four clients, in two halves by turns"),
    "mifa.potential.rate": Play(
        _silent_together, Fraction(9, 20), "four clients, all silent for three rounds of four"
    ),
}
"""The theorems that are played. The runs are noiseless, in one dimension, on parabolas."""


def _met(claim: str, scenario: Scenario) -> bool:
    return unmet(find_claim(claim), scenario) == []


@cache
def largest_step(key: str) -> Fraction:
    """The largest printed / k at which the run meets the correction's hypotheses.

    >>> largest_step("afl.thm3") < PLAYS["afl.thm3"].printed
    True
    """
    play = PLAYS[key]
    for k in range(1, 2000):
        step = play.printed / k
        if _met(play.corrected, play.build(play.rounds, step, Fraction(1))):
            return step
    raise LookupError(key)


class Sides(TypedDict):
    """Both sides after 1, 2, ... rounds."""

    left: list[Fraction]
    right: list[float]


def scenario_of(key: str, version: str, rounds: int, factor: Fraction, start: Fraction) -> Scenario:
    """The run of a theorem as printed or as corrected, with a part of its step size."""
    play = PLAYS[key]
    step = play.printed if version == "printed" else largest_step(key)
    return play.build(rounds, step * factor, start)


def claim_of(key: str, version: str) -> Claim:
    """The claim that is shown: the theorem itself or its correction."""
    return find_claim(key if version == "printed" else PLAYS[key].corrected)


def sides(
    key: str, *, version: str = "printed", factor: ExactLike = 1, start: ExactLike = 1
) -> Sides:
    """Both sides of a theorem along its run.

    >>> found = sides("afl.thm2")
    >>> [str(x) for x in found["left"][:2]], found["right"][:2]
    (['1', '5'], [4.0, 2.0])
    """
    claim = claim_of(key, version)
    size, begin = exact(factor, "part of the step size"), exact(start, "start")
    names = {symbol.name for symbol in claim.statement.right.free_symbols} | {LEFT}
    found: Sides = {"left": [], "right": []}
    for rounds in range(1, PLAYS[key].rounds + 1):
        values = measure(scenario_of(key, version, rounds, size, begin), names)
        found["left"].append(Fraction(values[LEFT]))
        found["right"].append(float(evaluate(claim.statement.right, values)))
    return found


def _fixed(key: str, version: str) -> Iterator[tuple[str, str | list[str]]]:
    """What the right side needs beside the rounds, the step size and the initial gap; one value for
    each number of rounds where it changes."""
    claim, play = claim_of(key, version), PLAYS[key]
    apart = {"num_rounds", "local_step_size", "initial_loss_gap"}
    names = {symbol.name for symbol in claim.statement.right.free_symbols} - apart
    runs = [
        scenario_of(key, version, rounds, Fraction(1), Fraction(1))
        for rounds in range(1, play.rounds + 1)
    ]
    measured = [measure(run, names) for run in runs]
    for name in sorted(names):
        values = [str(one[name]) for one in measured]
        yield name, values[0] if len(set(values)) == 1 else values


def _version(key: str, version: str) -> dict[str, Any]:
    claim = claim_of(key, version)
    whole = scenario_of(key, version, PLAYS[key].rounds, Fraction(1), Fraction(1))
    if not _met(claim.id, whole):
        raise InvalidInput(f"the run of {claim.id}", "meet its hypotheses", unmet(claim, whole))
    return {
        "claim": claim.id,
        "run": whole.to_json(),
        "right": to_lists(claim.statement.right),
        "fixed": dict(_fixed(key, version)),
    }


def _tightest(lines: list[Evidence]) -> dict[str, str] | None:
    """The largest exact ratio of the sides that the ledger has."""
    known = [
        (Fraction(line.looseness), line)
        for line in lines
        if line.looseness and set(line.looseness) <= set("0123456789/")
    ]
    if not known:
        return None
    _, line = max(known, key=lambda pair: pair[0])
    return {"left": line.left, "right": line.right, "ratio": line.looseness}


def listed() -> list[str]:
    """Every numbered theorem, proposition and corollary, and those that are played."""
    return [claim.id for claim in all_claims().values() if claim.id in PLAYS or level(claim) < 3]


def recorded() -> list[dict[str, Any]]:
    """What the scene has from the record, for each of them; those that are played come first."""
    lines: dict[str, list[Evidence]] = {}
    for line in runner.recorded():
        lines.setdefault(line.evidence.claim, []).append(line.evidence)
    verdict_of = verdicts(runner.recorded())
    claims = all_claims()
    found = []
    for claim in map(find_claim, listed()):
        corrections = [other.id for other in claims.values() if other.corrects == claim.id]
        versions = (
            ("printed", "corrected")
            if claim.id in PLAYS and PLAYS[claim.id].corrected
            else ("printed",)
        )
        found.append(
            {
                "id": claim.id,
                "rank": rank(claim) or "ours",
                "paper": claim.source.paper.short_name,
                "says": prose_in_text(claim.says),
                "verdict": verdict_of.get(claim.id, Verdict.UNDECIDED).name,
                "corrected": [
                    [one, verdict_of[one].name] for one in corrections if one in verdict_of
                ],
                "tightest": _tightest(lines.get(claim.id, [])),
                "trace": PLAYS[claim.id].says if claim.id in PLAYS else "",
                "plays": {one: _version(claim.id, one) for one in versions}
                if claim.id in PLAYS
                else None,
            }
        )
    return sorted(found, key=lambda one: one["plays"] is None)
