"""A simpler run that contradicts a claim too: with fewer clients, rounds, delays and local steps,
and with simpler numbers.

The choices that make a run depend on each other (without a client, all later choices mean something
else), so the run itself is simplified after its choices.
"""

from collections.abc import Iterator
from dataclasses import replace

from fltheory.attacks.decide import contradicts
from fltheory.attacks.minimize.run_moves import MOVES
from fltheory.attacks.minimize.size import CounterexampleSize, size_of
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison
from fltheory.core.errors import InvalidInput, NotExact

MOST_LOOKS = 300
"""Maximum number of runs to look at."""


def simplest(claim: Claim, instance: Instance) -> tuple[Instance, int]:
    """The lightest run found that meets every printed assumption and contradicts the claim exactly,
    and the number of runs looked at."""
    kept, looks, moved = instance, 0, True
    while moved:
        run, moved = Scenario.from_json((kept.scenario or {})["run"]), False
        weighed = sorted(
            ((_weight(claim, one), number, one) for number, one in enumerate(simpler(run))),
            key=lambda entry: entry[:2],
        )
        for weight, _, candidate in weighed[: MOST_LOOKS - looks]:
            if weight >= _weight(claim, run):
                break
            looks += 1
            found = _contradicting(claim, candidate)
            if found is not None:
                kept, moved = found, True
                break
    return kept, looks


def chosen_size(claim: Claim, instance: Instance) -> CounterexampleSize:
    """The size of a run whose numbers were all chosen freely."""
    size = size_of(claim, instance)
    return replace(size, drawn=size.denominator)


def _weight(claim: Claim, run: Scenario) -> tuple[int, ...]:
    """A simpler run has a smaller weight: sizes, then noise, then digits, then nonzero digits of
    the problem."""
    data = run.to_json()
    *sizes, digits = size_of(claim, Instance({}, "", {"run": data})).weight
    return (
        *sizes,
        bool(run.problem.noise_squared),
        digits,
        sum(map(str(data["problem"]).count, "123456789")),
    )


def simpler(run: Scenario) -> Iterator[Scenario]:
    """Runs that are simpler in one respect, the largest simplifications first; rounds without a
    delivery occur only if the run has such rounds.

    >>> from fltheory import Quadratic, Trace
    >>> problem, trace = Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [0, 1]])
    >>> run = Scenario("fedavg", problem, trace, start=0, local_step_size="1/4")
    >>> next(simpler(run)).says
    'fedavg on Quadratic, 2 clients, 1 round, 1 local step, step sizes 1/4 and 1, start 0'
    """
    busy = run.trace.delivers.any(axis=-1).all()
    for moves in MOVES:
        for made in moves(run):
            try:
                found = made()
            except InvalidInput:
                continue
            if found != run and (not busy or found.trace.delivers.any(axis=-1).all()):
                yield found


def _contradicting(claim: Claim, run: Scenario) -> Instance | None:
    try:
        if unmet(claim, run, stated_only=True):
            return None
        found = on_scenario(claim, run)
        return None if contradicts(claim, found) in (None, Comparison.UNKNOWN) else found
    except (InvalidInput, NotExact):
        return None
