"""Where MIFA's statements about availability and staleness may fail: every availability of a small
size, and absences that grow."""

from fractions import Fraction

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.mifa.checks.staleness import counted, statistics_of
from fltheory.papers.mifa.spaces.drawing import pattern, space_of_values
from fltheory.traces.availability.linear_gaps import LinearGaps
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import initial_gap, rounds_since


def _staleness(choices: Choices, claim: Claim) -> Drawn:
    """Statistics of the staleness, and one device's staleness in one round, on any availability."""
    alone = {"active_rounds", "staleness"} & {s.name for s in claim.symbols}
    clients = 1 if alone else choices.whole(1, 3)
    table = pattern(choices, clients=clients, rounds=choices.whole(1, 7))
    at = choices.whole(0, len(table) - 1)
    return statistics_of(table) | {
        "active_rounds": sum(map(sum, table)),
        "staleness": int(rounds_since(table)[at, 0]),
        "counted_staleness": counted(table)[at][0],
    }


def _saturating(choices: Choices, claim: Claim) -> Drawn:
    """The least t0 of a device that is as absent as tau(t) <= t0 + t/40 permits."""
    gap = choices.number(Fraction(1, 4), 20)
    trace = Trace.fresh(LinearGaps(1, gap, Fraction(1, 40)).matrix(choices.whole(1, 200)))
    return {"initial_gap": initial_gap(trace, Fraction(1, 40)), "allowed_gap": gap}


def _growing_absence(choices: Choices, claim: Claim) -> Drawn:
    """Activity in rounds that grow by a factor: tau <= t (1 - 1/factor) = O(T); the least t0 for
    the slope 1/40."""
    factor, count = choices.whole(2, 4), choices.whole(1, 12)
    last = min(factor**count, 20_000)
    active = {factor**k for k in range(count + 1)}
    trace = Trace.fresh([[t in active] for t in range(1, last)] or [[True]])
    return {"initial_gap": initial_gap(trace, Fraction(1, 40))}


STALENESS = (
    "num_clients num_rounds mean_staleness max_staleness mean_client_max_staleness total_staleness"
    " squared_usages"
)

SPACES = (
    space_of_values(
        "staleness",
        "Every availability of up to three devices over up to seven rounds, everybody in the"
        " first.",
        _staleness,
        f"{STALENESS} active_rounds staleness counted_staleness",
        "def5.1 taustats* ass8*",
    ),
    space_of_values(
        "saturating",
        "The adversary that is as absent as Assumption 4 permits, for any t0 and horizon.",
        _saturating,
        "initial_gap allowed_gap",
        "ass4.growth.corrected",
    ),
    space_of_values(
        "growing-absence",
        "Activity in rounds that grow by a factor, so that the staleness is of the order of T.",
        _growing_absence,
        "initial_gap",
        "ass4.growth",
    ),
)
