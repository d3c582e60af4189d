"""The wide space of runs: every size, loss, participation and step size that the evaluator can
decide and the conditions of a claim leave open."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

import fltheory.algorithms
from fltheory.claims.checks.bound_on_run import measurements, on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.fast_evaluation import as_number
from fltheory.claims.hypotheses import AveragingIs, ParticipationIs, StepSizeIs, hypotheses
from fltheory.claims.measures import MEASURES, Measurements
from fltheory.claims.participation import Participation
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import fixed, names_of
from fltheory.claims.spaces.runs import LONGEST, draw_settings
from fltheory.claims.spaces.scoring import look
from fltheory.claims.spaces.space import Space
from fltheory.claims.spaces.wide_losses import draw_losses
from fltheory.claims.spaces.wide_starts import draw_start, settled, travelling
from fltheory.claims.spaces.wide_steps import draw_step
from fltheory.claims.spaces.wide_traces import Sizes, draw_sizes, draw_trace_of
from fltheory.core.errors import Diverged, InvalidInput, NotExact
from fltheory.core.registry import find_member
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.traits import NO_SERVER_STEP, SOMEONE_ALWAYS, STARTS_FROM_OLD_MODELS
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace import Trace

WIDE = "wide runs"
"""The id of this space."""

MOST_RANDOM, FEW_RANDOM = 60, 6
"""Largest numbers of rounds with random participation: where moments give the expectations, and
where all outcomes are summed up."""

HEAVY = 40
"""Local steps of all clients above which a run is looked at in floats first."""

MOST_ROOTS = 12
"""Rounds with irrational step sizes or weights, unless gradients are clipped: every round makes the
formula of the model longer."""

MOST_FALLING = 60
"""Rounds with noise or random participation if step sizes change: every round is a map of its own,
which takes about 5 ms of processor time."""

HOPELESS = -0.02
"""Score in floats below which a heavy run is not repeated exactly."""

SERVERS = tuple(Fraction(a, b) for a, b in ((1, 1), (1, 2), (2, 1), (1, 10), (10, 1), (3, 1)))
RELATIVE = tuple(Fraction(a, b) for a, b in ((0, 1), (1, 1), (1, 2), (2, 1)))
"""Step sizes of the server and relative noise, where they are free."""

CHANCES = tuple(Fraction(a, b) for a, b in ((1, 2), (1, 1), (1, 4), (1, 10), (9, 10), (1, 100)))


STAYS = tuple(Fraction(a, b) for a, b in ((1, 2), (1, 4), (9, 10), (0, 1), (99, 100)))
"""Chances of clients to be there, and to stay there by a Markov chain."""


def wide_runs(claim: Claim) -> Space | None:
    """The wide space of a claim about runs; None if it names no algorithm."""
    if not claim.about:
        return None
    return Space(
        WIDE,
        "Whole runs of many sizes, losses and kinds of participation, at the edges of the"
        " conditions.",
        frozenset(MEASURES) | frozenset(s.name for s in claim.symbols if "(" in s.name),
        draw_wide,
    )


def draw_wide(choices: Choices, claim: Claim) -> Instance:
    """A run of the wide space, with every symbol of the claim measured on it; while a search only
    looks around, heavy runs that are far from a contradiction are measured in floats."""
    try:
        scenario = draw_wide_scenario(choices, claim)
        known = measurements(claim, scenario)
        failing = unmet(claim, scenario, stated_only=True, known=known)
        if failing:
            texts = {a.id: a.says for a in claim.assumes}
            choices.reject(", ".join(texts[name] for name in failing))
        exactly = choices.replayed or isinstance(claim.statement, Order)  # 0 is not 1e-17
        if not exactly and _weight(scenario) > HEAVY:
            rough = _rough(claim, scenario)
            if rough is not None and look(claim, rough).score < HOPELESS:
                return rough
        found = on_scenario(claim, scenario, known=known)
    except (InvalidInput, NotExact, Diverged) as reason:
        choices.reject(str(reason).split(",")[0])
    except (AttributeError, TypeError, ArithmeticError) as reason:
        # a printed assumption of a paper that was written for other losses than these
        choices.reject(f"an assumption that can be decided on these losses: {reason}"[:80])
    longest = max(
        (x.denominator.bit_length() for x in found.values.values() if isinstance(x, Fraction)),
        default=0,
    )
    choices.require(longest <= LONGEST, "the run's numbers are short enough to be written down")
    return found


def _weight(scenario: Scenario) -> int:
    work = int(scenario.trace.local_steps.sum()) * (8 if rooted(scenario) else 1)
    return work * work if scenario.problem.noise_squared else work


def _rough(claim: Claim, scenario: Scenario) -> Instance | None:
    """The claim's symbols in floats; None if that fails, or if a condition fails."""
    try:
        known = Measurements(scenario, arithmetic=FLOAT)
        with np.errstate(all="ignore"):
            values = {s.name: Fraction(float(as_number(known[s.name]))) for s in claim.symbols}
    except (InvalidInput, NotExact, Diverged, ValueError, OverflowError, TypeError):
        return None
    return Instance(values, scenario.says, {"run": scenario.to_json(), "measures": {}})


def draw_wide_scenario(choices: Choices, claim: Claim) -> Scenario:
    """A scenario of the wide region, with a step size that the conditions admit."""
    algorithm = choices.choice(claim.about)
    member = find_member(fltheory.algorithms, algorithm)
    sizes = draw_sizes(choices, claim)
    law = draw_law(choices, claim, sizes)
    if law is not None:
        full = np.ones((min(sizes.rounds, MOST_RANDOM), sizes.clients), bool)
        steps = sizes.steps if choices.index(4) < 3 else choices.whole(1, sizes.steps)
        trace = Trace.fresh(full, local_steps=steps)
    else:
        trace = draw_trace_of(
            choices,
            claim,
            sizes,
            delays=STARTS_FROM_OLD_MODELS in member.facts,
            empty_rounds=SOMEONE_ALWAYS not in member.facts,
        )
    problem = draw_losses(choices, claim, trace)
    settings: dict[str, Any] = dict(draw_settings(choices, algorithm, trace))
    if "weights" in settings:
        settings["weights"] = tuple(problem.importance)
    numbers = fixed(claim)
    server = numbers.get("server_step_size", Fraction(1))
    free = "server_step_size" in names_of(claim) or NO_SERVER_STEP not in member.facts
    if "server_step_size" not in numbers and free:
        server = choices.choice(SERVERS)
    scenario = Scenario(
        algorithm,
        problem,
        trace,
        start=draw_start(choices, claim, problem),
        local_step_size=1,
        server_step_size=server,
        settings=settings,
        participation=law,
        relative_noise=_relative(choices, claim),
    )
    if law is not None and not Measurements(scenario).run.by_moments:
        scenario = replace(scenario, trace=trace.first(min(FEW_RANDOM, trace.num_rounds)))
    scenario = replace(scenario, local_step_size=draw_step(choices, claim, scenario))
    kind = choices.index(6)
    if kind == 5 and "initial_distance" not in numbers:
        scenario = settled(scenario)
    scenario = by_rounds(claim, scenario)
    if kind == 4 and "initial_distance" not in numbers:
        return travelling(scenario, choices.choice((2, 1)))
    return scenario


def _relative(choices: Choices, claim: Claim) -> Fraction:
    if "relative_noise" not in names_of(claim):
        return Fraction(0)
    number = fixed(claim).get("relative_noise")
    return choices.choice(RELATIVE) if number is None else number


def by_rounds(claim: Claim, scenario: Scenario) -> Scenario:
    """The scenario with the step sizes and weights that the claim gives round by round."""
    for size in hypotheses(claim, StepSizeIs):
        scenario = replace(scenario, local_step_size=tuple(size.sizes(scenario)))
    for averaging in hypotheses(claim, AveragingIs):
        scenario = replace(scenario, averaging=averaging.weights(scenario))
    sizes, rounds = scenario.local_step_size, scenario.trace.num_rounds
    random = scenario.participation or scenario.relative_noise or scenario.problem.noise_squared
    if isinstance(sizes, tuple) and random and rounds > MOST_FALLING:
        return by_rounds(claim, _first(scenario, MOST_FALLING))
    short = isinstance(scenario.problem, Clipped) or rounds <= MOST_ROOTS
    if short or not rooted(scenario):
        return scenario
    return by_rounds(claim, _first(scenario, MOST_ROOTS))


def _first(scenario: Scenario, rounds: int) -> Scenario:
    """The first rounds, with step sizes and weights to be set anew."""
    first = scenario.trace.first(rounds)
    return replace(scenario, trace=first, local_step_size=1, averaging=())


def rooted(scenario: Scenario) -> bool:
    """Does a step size or a weight of an average have roots?"""
    sizes = scenario.local_step_size
    listed = [*(sizes if isinstance(sizes, tuple) else [sizes]), *scenario.averaging]
    return not all(isinstance(x, Fraction) for x in listed)


def draw_law(choices: Choices, claim: Claim, sizes: Sizes) -> Participation | None:
    """The law of participation that the claim names."""
    named = hypotheses(claim, ParticipationIs)
    if not named:
        return None
    kind, clients = named[0].kind, sizes.clients
    if kind == "uniform":
        return Participation(kind, clients_per_round=max(sizes.used, 1))
    if kind == "cyclic":
        groups = [g for g in range(1, min(clients, 12) + 1) if clients % g == 0]
        number = choices.choice(groups[::-1])
        most = clients // number
        return Participation(kind, clients_per_round=min(max(sizes.used, 1), most), groups=number)
    equal = choices.flag()
    first = choices.choice(CHANCES)

    def chances() -> tuple[Fraction, ...]:
        if equal:
            return (first,) * clients
        own = [choices.choice(CHANCES) for _ in range(min(clients, 3))]
        return tuple(own[min(i, len(own) - 1)] for i in range(clients))

    if kind == "bernoulli":
        return Participation(kind, chances())
    stays = tuple(choices.choice(STAYS) for _ in range(1 if equal else min(clients, 3)))
    return Participation(
        kind, chances(), tuple(stays[min(i, len(stays) - 1)] for i in range(clients))
    )
