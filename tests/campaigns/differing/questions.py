"""Each question draws a case and says whether both answers agree; a case that neither answers is
refused with an error."""

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F
from math import isclose
from typing import Any

from fltheory.analysis.moments import expected_gap
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import MEASURES, measure
from fltheory.claims.measures_of_clients import AGGREGATES, OF_CLIENTS, parsed
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.expressions import to_lists
from fltheory.engine.arithmetic import FLOAT, RATIONAL
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous
from fltheory.traces.trace import Trace
from fltheory.traces.weights import weight_report
from tests.campaigns.differing import clocks, draws
from verification import replay_measures, replay_runs
from verification.replay_measures import measured

STATISTICS = tuple(
    name
    for name in (
        *replay_measures.SETTLED,
        "max_delay",
        "mean_delay",
        "local_steps",
        "least_local_steps",
        "mean_local_steps",
        "clients_per_round",
        "most_clients_per_round",
        "clients_in_first_round",
        "availability_probability",
    )
)
OTHERS = tuple(sorted(set(MEASURES) - set(STATISTICS) - {"limit", "limit_error"}))
DIGITS = 50


class Refused(Exception):
    """Neither side has an answer, or only the library has one."""


def models_agree(chance: random.Random) -> bool:
    """All models of a run, exactly, and by floats to rounding."""
    run = draws.scenario_of(chance)
    theirs = replay_runs.run(run.to_json())
    if [list(point) for point in ExactRun(run).models] != theirs:
        return False
    floats = simulate(
        run.method,
        run.problem,
        run.trace,
        start=run.start,
        local_step_size=run.local_schedule,
        server_step_size=run.server_step_size,
        arithmetic=FLOAT,
    ).models
    largest = float(max(abs(x) for point in theirs for x in point))
    pairs = zip(floats, theirs, strict=True)
    return all(
        isclose(a, float(b), rel_tol=1e-9, abs_tol=1e-9 * (1 + largest))
        for ours, exact in pairs
        for a, b in zip(ours, exact, strict=True)
    )


def same(ours: Any, theirs: Any) -> bool:
    """Equal fractions, or irrational numbers that agree to DIGITS digits."""
    if isinstance(theirs, F):
        return bool(ours == theirs)
    if isinstance(ours, int | F):
        return False
    own = Decimal(str(ours.evalf(DIGITS + 10)))
    return abs(own - theirs) <= Decimal(f"1e-{DIGITS}") * max(abs(own), Decimal(1))


def compared(run: Scenario, name: str, over: dict[str, Any] | None = None) -> bool:
    """One quantity of a run by both."""
    claim = {"over_clients": over or {}, "measures": {}, "conditions": []}
    try:
        theirs = measured(run.to_json(), claim)(name)
    except replay_runs.NotCheckable:
        raise Refused(name) from None
    if theirs is None:
        raise Refused(name)
    try:
        ours = measure(run, [name], parameters_first=False)[name]
    except (InvalidInput, NotExact):
        raise Refused(name) from None
    return same(ours, theirs)


def statistics_agree(chance: random.Random) -> bool:
    """A statistic of a trace."""
    return compared(draws.scenario_of(chance), chance.choice(STATISTICS))


def quantities_agree(chance: random.Random) -> bool:
    """Any other quantity, now and then of a random run, or a formula over clients."""
    run = (draws.random_scenario_of if chance.random() < 0.5 else draws.scenario_of)(chance)
    if chance.random() < 0.7:
        return compared(run, chance.choice(OTHERS))
    inside = f"{chance.choice(sorted(OF_CLIENTS))}^2+{chance.choice(sorted(OF_CLIENTS))}"
    name = f"{chance.choice(sorted(AGGREGATES))}({inside})"
    found = parsed(name)
    assert found is not None
    return compared(run, name, {name: [found[0], to_lists(found[1])]})


def limits_agree(chance: random.Random) -> bool:
    """The cycle of a periodic pattern, whose period may divide nothing; both refuse a run that does
    not tend to one."""
    clients, period = chance.randint(1, 3), chance.randint(1, 3)
    table = [[chance.randint(0, 1) for _ in range(clients)] for _ in range(period)]
    if not all(map(any, zip(*table, strict=True))):
        raise Refused("a client that never comes")
    steps = [[chance.choice((1, 1, 2)) for _ in range(clients)] for _ in range(period)]
    curved = tuple(F(chance.randint(1, 3)) for _ in range(clients))
    run = Scenario(
        chance.choice(("fedavg", "mifa", "fedlaavg", "afa-cd", "afa-cs", "scaffold")),
        Quadratic(curved, tuple(draws.number(chance) for _ in range(clients))),
        Trace.fresh(table * 4, local_steps=steps * 4),
        start=draws.number(chance),
        local_step_size=F(1, chance.choice((1, 2, 6, 9, 12))),
    )
    try:
        ours: Any = measure(run, ["limit", "limit_error"])
    except (InvalidInput, NotExact):
        ours = None
    theirs: Any
    try:
        value = measured(run.to_json())
        theirs = {name: value(name) for name in ("limit", "limit_error")}
    except (replay_runs.NotCheckable, StopIteration):
        theirs = None
    if ours is None and theirs is None:
        raise Refused("no cycle")
    return bool(ours == theirs)


def gaps_agree(chance: random.Random) -> bool:
    """`gap`: the expected loss above its minimum with noise, of the last model or an average."""
    run = draws.scenario_of(chance)
    if not isinstance(run.problem, Quadratic):
        raise Refused("losses that are not quadratic")
    noise = chance.choice((0, 1, F(1, 3)))
    problem = Quadratic(run.problem.curvatures, run.problem.optima, run.problem.importance, noise)
    uniform = chance.random() < 0.5
    rounds = run.trace.num_rounds
    told: dict[str, Any] = {
        "start": run.start,
        "local_step_size": run.local_schedule,
        "server_step_size": run.server_step_size,
        "average": (lambda t: 1) if uniform else None,
    }
    asked = (run.method, problem, run.trace)
    exact = expected_gap(*asked, **told, arithmetic=RATIONAL)
    data = run.to_json() | {"problem": Scenario(**_same_run(run, problem)).to_json()["problem"]}
    m = replay_measures.Measured(data)
    theirs = m.gap([F(1, rounds + 1)] * (rounds + 1)) if uniform else m.gap(m.only(rounds))
    if theirs != exact.bias + exact.noise:
        return False
    floats = expected_gap(*asked, **told, arithmetic=FLOAT)
    total = float(floats.bias + floats.noise)
    return isclose(total, float(theirs), rel_tol=1e-6, abs_tol=1e-9)


def _same_run(run: Scenario, problem: Quadratic) -> dict[str, Any]:
    return {
        "algorithm": run.algorithm,
        "problem": problem,
        "trace": run.trace,
        "start": run.start,
        "local_step_size": run.local_step_size,
        "settings": run.settings,
    }


def weights_agree(chance: random.Random) -> bool:
    """`weights`: what a waiting policy with fixed update times does in the long run, with ties and
    windows that divide nothing."""
    clients = chance.randint(1, 4)
    times = [F(chance.randint(1, 6), chance.choice((1, 1, 2, 3))) for _ in range(clients)]
    name = chance.choice(("sync", "async", "window", "buffer"))
    size = F(chance.randint(1, 7), chance.choice((1, 2, 3)))
    if name == "buffer":
        size = F(chance.randint(1, clients))
    makers: dict[str, Callable[[], Policy]] = {
        "sync": Synchronous,
        "async": Asynchronous,
        "window": lambda: FixedWindow(size),
        "buffer": lambda: Buffer(int(size)),
    }
    policy = makers[name]()
    importance = draws.shares_of(chance, clients)
    weights = (
        [F(chance.randint(0, 4), 3) for _ in range(clients)] if chance.random() < 0.4 else None
    )
    report = weight_report(times, policy, importance=importance, weights=weights)
    try:
        theirs = clocks.facts_of(times, name, size, list(report.weights))
    except ValueError as problem:
        raise Refused(str(problem)) from None
    if weights is None and importance is not None:
        theirs["expected_weights"] = importance  # policy weights are fair
    return all(getattr(report, fact) == value for fact, value in theirs.items())
