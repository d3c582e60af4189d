"""The space of whole runs, for claims that name their algorithms: problem, trace, and step sizes up
to the largest that the claim admits."""

from dataclasses import replace
from fractions import Fraction

import fltheory.algorithms
from fltheory.claims.checks.bound_on_run import on_scenario
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import MEASURES, Measurements
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.fitting import fitted
from fltheory.claims.spaces.ranges import AGES, LIMITS, allowed, fixed, names_of, rounds_allowed
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import shares
from fltheory.core.registry import find_member
from fltheory.engine.traits import NO_SERVER_STEP, SOMEONE_ALWAYS, STARTS_FROM_OLD_MODELS
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

Problem = Quadratic | CommonCurvature | Clipped

RUNS = "runs"
"""The id of the space of runs."""

USUAL = (3, 5, 3)
"""Maximum numbers of clients, rounds and local steps in a usual draw."""

LARGE = 2
"""Factor by which a large draw may have more clients and local steps."""

REPEATS = (4, 2, 8)
"""Numbers of repetitions of the pattern of a large draw."""

LONGEST = 10_000
"""Bits of the longest number that a counterexample file may hold."""


def runs(claim: Claim) -> Space | None:
    """The space of runs of the algorithms that a claim names; None if it names none."""
    if not claim.about:
        return None
    return Space(
        RUNS,
        "Whole runs: quadratic, tilted and clipped clients, any participation, any local"
        " steps, step sizes up to the largest that the claim admits.",
        frozenset(MEASURES),
        draw_run,
    )


def draw_run(choices: Choices, claim: Claim) -> Instance:
    """A run that meets every printed assumption, with every symbol of the claim measured on it."""
    known = draw_measured(choices, claim)
    return on_run(choices, claim, known.run.scenario, known)


def on_run(
    choices: Choices, claim: Claim, scenario: Scenario, known: Measurements | None = None
) -> Instance:
    """Every symbol of the claim measured on a run; rejects the run if a symbol has no exact value
    on it. `known` are measurements of the run."""
    try:
        found = on_scenario(claim, scenario, known=known)
    except (InvalidInput, NotExact) as reason:
        choices.reject(str(reason).split(",")[0])
    longest = max(
        (x.denominator.bit_length() for x in found.values.values() if isinstance(x, Fraction)),
        default=0,
    )
    choices.require(longest <= LONGEST, "the run's numbers are short enough to be written down")
    return found


def draw_scenario(choices: Choices, claim: Claim) -> Scenario:
    """A random scenario that meets the claim's conditions."""
    return draw_measured(choices, claim).run.scenario


def draw_measured(choices: Choices, claim: Claim) -> Measurements:
    """What is measured on a random scenario, simplified only as far as the claim requires; its step
    size may be the largest that the claim admits."""
    algorithm = choices.choice(claim.about)
    facts = find_member(fltheory.algorithms, algorithm).facts
    late = STARTS_FROM_OLD_MODELS in facts
    trace = draw_trace(choices, claim, delays=late, empty_rounds=SOMEONE_ALWAYS not in facts)
    problem = to_fixed(draw_problem(choices, trace.num_clients), claim)
    settings = draw_settings(choices, algorithm, trace)
    start: Fraction | tuple[Fraction, ...] = choices.number(-3, 3)
    scale = choices.power()
    opposite = choices.flag()  # theorems bound the product: a long step goes with a short one
    local, server = choices.number("1/4", 2) * scale, Fraction(1)
    if "server_step_size" in names_of(claim) or NO_SERVER_STEP not in facts:
        server = choices.number("1/2", 2) * (1 / scale if opposite else choices.power())
    edge = choices.flag()
    if choices.index(4) == 3 and (optimum := problem.constants.optimum) is not None:
        start = optimum  # bounds by the initial loss gap or distance are tightest there
    wild = Scenario(
        algorithm,
        problem,
        trace,
        start=start,
        local_step_size=local,
        server_step_size=server,
        settings=settings,
    )
    return fitted(choices, claim, wild, edge=edge)


def draw_trace(
    choices: Choices,
    claim: Claim | None = None,
    *,
    delays: bool = False,
    empty_rounds: bool = True,
    most_clients: int = USUAL[0],
    most_rounds: int = USUAL[1],
    most_steps: int = USUAL[2],
) -> Trace:
    """Who delivers, from which model and after how many local steps; the simplest trace has one
    client and one round.

    The sizes are those that the claim's conditions allow; some draws are larger, or repeat a
    pattern.
    """
    large = choices.index(8) == 7
    times = LARGE if large else 1
    free = range(1, 99)
    clients = choices.choice(
        (allowed(claim, "num_clients") if claim else free)[: times * most_clients]
    )
    rounds = choices.choice((rounds_allowed(claim) if claim else free)[:most_rounds])
    delivers = [[not choices.flag() for _ in range(clients)] for _ in range(rounds)]
    if not empty_rounds:
        for row in delivers:
            row[0] = row[0] or not any(row)
    oldest = choices.whole(0, 3) if delays else 0
    late = (
        [[choices.whole(0, min(t, oldest)) for _ in range(clients)] for t in range(rounds)]
        if oldest
        else []
    )
    most = choices.choice((allowed(claim, "local_steps") if claim else free)[: times * most_steps])
    equal = not choices.flag()
    steps = [
        [most if equal or most == 1 else choices.whole(1, most) for _ in range(clients)]
        for _ in range(rounds)
    ]
    repeated = large or (claim is not None and bool(LIMITS & names_of(claim)))
    repeats = (
        choices.choice(REPEATS)
        if repeated and (claim is None or rounds * max(REPEATS) in rounds_allowed(claim))
        else 1
    )
    delivers, late, steps = delivers * repeats, late * repeats, steps * repeats
    if claim is not None and AGES & names_of(claim):
        delivers[0] = [True] * clients
    return Trace.with_delays(delivers, late or 0, local_steps=steps)


def draw_settings(
    choices: Choices, algorithm: str, trace: Trace
) -> dict[str, int | Fraction | tuple[Fraction, ...]]:
    """The settings that an algorithm declares as needed.

    Weights are the clients' importances: with other weights the algorithm minimises another loss,
    and no measured quantity of a run shows it.
    """
    needs, clients = find_member(fltheory.algorithms, algorithm).needs, trace.num_clients
    if "weights" in needs:
        return {"weights": shares(None, clients)}
    if "probabilities" in needs:
        return {"probabilities": tuple(choices.many(lambda: choices.number("1/4", 1), clients))}
    if "proximal_strength" in needs:
        return {"proximal_strength": choices.number(0, 2)}
    return (
        {"full_local_steps": max(int(trace.local_steps.max()), 1)}
        if "full_local_steps" in needs
        else {}
    )


def to_fixed(problem: Problem, claim: Claim) -> Problem:
    """The problem with the smoothness and the noise that the conditions set, if it can have
    them."""
    numbers = fixed(claim)
    if "gradient_noise" in numbers and not isinstance(problem, Clipped):
        problem = replace(problem, noise_squared=numbers["gradient_noise"] ** 2)
    if "smoothness" in numbers and (own := problem.constants.smoothness):
        share = numbers["smoothness"] / own
        if isinstance(problem, CommonCurvature):
            return replace(problem, curvature=problem.curvature * share)
        return replace(
            problem, curvatures=tuple(tuple(h * share for h in row) for row in problem.curvatures)
        )
    return problem


def draw_problem(choices: Choices, num_clients: int) -> Problem:
    """Quadratic, tilted or clipped clients with equal importance; with noise if exact expectations
    are known."""
    kind = choices.choice(("quadratic", "common-curvature", "clipped"))
    if kind == "clipped":
        curvatures = choices.many(
            lambda: choices.choice((Fraction(1), Fraction(1, 2), Fraction(2), Fraction(-1))),
            num_clients,
        )
        return Clipped(
            choices.many(lambda: choices.number(-3, 3), num_clients),
            choices.number("1/2", 3),
            curvatures,
        )
    noise = choices.choice((Fraction(0), Fraction(1), Fraction(100), Fraction(1, 100)))
    if kind == "quadratic":
        curvatures = choices.many(lambda: choices.number("1/4", 2), num_clients)
        return Quadratic(
            curvatures,
            choices.many(lambda: choices.number(-3, 3), num_clients),
            noise_squared=noise,
        )
    curvature = choices.choice(
        (Fraction(1), Fraction(0), Fraction(-1), Fraction(1, 10), Fraction(10))
    )
    tilts = choices.many(lambda: choices.number(-2, 2), num_clients - 1)
    return CommonCurvature(curvature, [*tilts, -sum(tilts, Fraction(0))], noise_squared=noise)
