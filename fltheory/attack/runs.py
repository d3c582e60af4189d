"""The space of whole runs, for claims that name their algorithms: problem, trace, step sizes at the edge of what the claim admits."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.attack.source import Source
from fltheory.attack.space import Space
from fltheory.attack.words import counted
from fltheory.checks.bound_on_run import on_scenario, unmet
from fltheory.checks.instances import Instance
from fltheory.claims import Claim
from fltheory.errors import InvalidInput, NotExact
from fltheory.measures import MEASURES
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.scenario import Scenario
from fltheory.trace import Trace

MOST_HALVINGS = 14
"""How often a step size is halved in search of one that the claim admits."""

EDGE_STEPS = 6
"""Bisections towards the largest admitted step size."""

WEIGHTED = ("async", "fedfix", "fedbuff", "sync")
"""Algorithms that are built from one weight per client."""


def runs(claim: Claim) -> Space | None:
    """The space of runs of the algorithms that a claim is about; None where it names none."""
    if not claim.about:
        return None
    return Space("runs", "Whole runs: quadratic, tilted and clipped clients, any participation, delays and local steps, step sizes up to "
                 "the largest that the claim admits.", frozenset(MEASURES), draw_run)


def draw_run(source: Source, claim: Claim) -> Instance:
    """One run that meets every printed assumption, every symbol of the claim measured on it."""
    return on_run(source, claim, draw_scenario(source, claim))


def on_run(source: Source, claim: Claim, scenario: Scenario) -> Instance:
    """Every symbol of the claim measured on a run; rejects where one of them has no exact value there."""
    try:
        return on_scenario(claim, scenario, says=described(scenario))
    except (InvalidInput, NotExact) as reason:
        source.reject(str(reason).split(",")[0])


def draw_scenario(source: Source, claim: Claim) -> Scenario:
    """A wild scenario, tamed only as far as the claim demands, with a step size that may be pushed to the edge."""
    algorithm = source.choice(claim.about)
    anarchic = algorithm.startswith("afa")
    trace = draw_trace(source, delays=anarchic, empty_rounds=not anarchic)
    problem = draw_problem(source, trace.num_clients)
    settings = {"weights": tuple(source.many(lambda: source.number("1/2", 2), trace.num_clients))} if algorithm in WEIGHTED else {}
    wild = Scenario(algorithm, problem, trace, start=source.number(-3, 3), local_step_size=source.number("1/4", 2) * source.power(),
                    server_step_size=source.number("1/2", 2) * source.power(), settings=settings)
    edge = source.flag()
    failing: list[str] = []
    for tamer in _tamer(wild):
        for halvings in range(MOST_HALVINGS):
            scenario = _sized(tamer, tamer.local_step_size / 2**halvings)
            failing = unmet(claim, scenario, stated_only=True)
            if not failing:
                return _pushed(claim, scenario) if edge else scenario
    source.reject(", ".join(failing))


def draw_trace(source: Source, *, delays: bool = False, empty_rounds: bool = True, most_clients: int = 3, most_rounds: int = 5,
               most_steps: int = 3) -> Trace:
    """Who delivers, from how old a model and after how many local steps; one client in one round is the simplest."""
    clients, rounds = source.whole(1, most_clients), source.whole(1, most_rounds)
    delivers = [[not source.flag() for _ in range(clients)] for _ in range(rounds)]
    if not empty_rounds:
        for row in delivers:
            row[0] = row[0] or not any(row)
    oldest = source.whole(0, 3) if delays else 0
    late = [[source.whole(0, min(t, oldest)) for _ in range(clients)] for t in range(rounds)] if oldest else 0
    most = source.whole(1, most_steps)
    equal = not source.flag()
    steps: Any = most if equal or most == 1 else [[source.whole(1, most) for _ in range(clients)] for _ in range(rounds)]
    return Trace.with_delays(delivers, late, local_steps=steps)


def draw_problem(source: Source, num_clients: int) -> Any:
    """Quadratic, tilted or clipped clients with equal importance; noise where exact expectations are known."""
    kind = source.choice(("quadratic", "common-curvature", "clipped"))
    if kind == "clipped":
        curvatures = source.many(lambda: source.choice((Fraction(1), Fraction(1, 2), Fraction(2), Fraction(-1))), num_clients)
        return Clipped(source.many(lambda: source.number(-3, 3), num_clients), source.number("1/2", 3), curvatures)
    noise = source.choice((Fraction(0), Fraction(1), Fraction(100), Fraction(1, 100)))
    if kind == "quadratic":
        curvatures = source.many(lambda: source.number("1/4", 2), num_clients)
        return Quadratic(curvatures, source.many(lambda: source.number(-3, 3), num_clients), noise_squared=noise)
    curvature = source.choice((Fraction(1), Fraction(0), Fraction(-1), Fraction(1, 10), Fraction(10)))
    tilts = source.many(lambda: source.number(-2, 2), num_clients - 1)
    return CommonCurvature(curvature, [*tilts, -sum(tilts, Fraction(0))], noise_squared=noise)


def _tamer(wild: Scenario) -> Iterator[Scenario]:
    """The scenario itself, then ever tamer versions of it."""
    yield wild
    plain = replace(wild, server_step_size=1)
    yield plain
    equal = replace(plain, trace=plain.trace.with_local_steps(max(int(wild.trace.local_steps.max()), 1)))
    yield equal
    quiet = replace(equal, problem=replace(equal.problem, noise_squared=0))
    yield quiet
    yield replace(quiet, trace=wild.trace.with_local_steps(1))
    yield replace(quiet, trace=Trace.fresh(wild.trace.delivers))
    yield replace(quiet, trace=Trace.fresh([[True] * wild.trace.num_clients] * wild.trace.num_rounds))


def _sized(scenario: Scenario, size: Any) -> Scenario:
    return replace(scenario, local_step_size=size)


def _pushed(claim: Claim, scenario: Scenario) -> Scenario:
    """The same run with a larger step size, close to the largest that the claim admits: first 1, 1/2, 1/4 over the smoothness."""
    low = scenario.local_step_size
    smoothness = scenario.problem.constants.smoothness
    for share in (Fraction(1), Fraction(1, 2), Fraction(1, 4)):
        if smoothness and share / smoothness > low and not unmet(claim, _sized(scenario, share / smoothness), stated_only=True):
            low = share / smoothness
    for factor in (1000, 10, 2):
        if not unmet(claim, _sized(scenario, low * factor), stated_only=True):
            return _sized(scenario, low * factor)
    high = 2 * low
    for _ in range(EDGE_STEPS):
        middle = (low + high) / 2
        if unmet(claim, _sized(scenario, middle), stated_only=True):
            high = middle
        else:
            low = middle
    return _sized(scenario, low)


def described(scenario: Scenario) -> str:
    """The run in one line."""
    trace = scenario.trace
    steps = sorted(set(trace.local_steps[trace.delivers].tolist()))
    told = counted(steps[0], "local step") if len(steps) == 1 else f"{steps[0]} to {steps[-1]} local steps" if steps else "no local step"
    delays = f", delays up to {trace.delays.max()}" if trace.delays.any() else ""
    return (f"{scenario.algorithm} on {type(scenario.problem).__name__}, {counted(trace.num_clients, 'client')}, "
            f"{counted(trace.num_rounds, 'round')}, {told}{delays}, step sizes {scenario.local_step_size} and {scenario.server_step_size}, "
            f"start {scenario.start[0]}")
