"""Hypothesis strategies over the objects of the theory: traces, clocks, arrival processes,
problems, scenarios of a claim."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.ranges import names_of
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import find_member
from fltheory.core.types import ExactLike, Whole
from fltheory.engine.traits import EVERYONE_FIRST, SOMEONE_ALWAYS, STARTS_FROM_OLD_MODELS
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import (
    Asynchronous,
    Buffer,
    FixedWindow,
    Policy,
    Synchronous,
    TimedTrace,
    simulate_clock,
)
from fltheory.traces.trace import Trace

KINDS = ("quadratic", "common-curvature", "clipped")
"""Kinds of problems."""

MOST_HALVINGS = 14
"""How often a drawn step size is halved in search of one that the claim admits."""


@cache
def numbers(
    low: ExactLike, high: ExactLike, *, max_denominator: int = 4
) -> st.SearchStrategy[Fraction]:
    """Rational numbers with small denominators, ends included."""
    return st.fractions(Fraction(low), Fraction(high), max_denominator=max_denominator)


@st.composite
def arrival_processes(
    draw: st.DrawFn,
    *,
    num_clients: int,
    num_rounds: int,
    everyone_first: bool = False,
    empty_rounds: bool = True,
) -> list[list[bool]]:
    """Who delivers in each round: any pattern, with everybody in round 0 and without empty rounds
    if asked for."""
    row = st.lists(st.booleans(), min_size=num_clients, max_size=num_clients)
    rows = draw(
        st.lists(row if empty_rounds else row.filter(any), min_size=num_rounds, max_size=num_rounds)
    )
    return [[True] * num_clients, *rows[1:]] if everyone_first else rows


@st.composite
def traces(
    draw: st.DrawFn,
    *,
    num_clients: int | None = None,
    max_rounds: int = 6,
    max_local_steps: int = 3,
    max_delay: int = 0,
    everyone_first: bool = False,
    empty_rounds: bool = True,
    equal_local_steps: bool = False,
) -> Trace:
    """Traces with any participation, delays up to `max_delay` and local steps up to
    `max_local_steps`."""
    clients = num_clients or draw(st.integers(1, 4))
    rounds = draw(st.integers(1, max_rounds))
    delivers = draw(
        arrival_processes(
            num_clients=clients,
            num_rounds=rounds,
            everyone_first=everyone_first,
            empty_rounds=empty_rounds,
        )
    )

    def table(low: int, high: Callable[[int], int]) -> list[list[int]]:
        return [[draw(_whole(low, high(t))) for _ in range(clients)] for t in range(rounds)]

    delays: Whole = table(0, lambda t: min(t, max_delay)) if max_delay else 0
    steps: Whole = (
        draw(st.integers(1, max_local_steps))
        if equal_local_steps
        else table(1, lambda t: max_local_steps)
    )
    return Trace.with_delays(delivers, delays, local_steps=steps)


@cache
def _whole(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


def update_times(num_clients: int | None = None) -> st.SearchStrategy[list[Fraction]]:
    """Positive rational update times, one per client."""
    low, high = (1, 4) if num_clients is None else (num_clients, num_clients)
    return st.lists(numbers("1/2", 5, max_denominator=3), min_size=low, max_size=high)


@st.composite
def clocks(draw: st.DrawFn, *, max_rounds: int = 12) -> TimedTrace:
    """Event simulations with fixed times under every waiting policy."""
    times = draw(update_times())
    fixed: list[Policy] = [Synchronous(), Asynchronous(), Asynchronous(joint_ties=True)]
    sized: list[Policy] = [
        FixedWindow(draw(numbers("1/2", 4))),
        Buffer(draw(st.integers(1, len(times)))),
    ]
    policy = draw(st.sampled_from(fixed + sized))
    return simulate_clock(times, policy, num_rounds=draw(st.integers(1, max_rounds)))


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    num_clients: int | None = None,
    kinds: tuple[str, ...] = KINDS,
    noise: bool = False,
    flat: bool = False,
) -> Quadratic | Clipped | CommonCurvature:
    """Problems with exact constants, in one coordinate, with equal importance; with `flat`, some
    quadratic clients are nearly flat."""
    clients = num_clients or draw(st.integers(1, 4))
    kind = draw(st.sampled_from(kinds))
    noise_squared = draw(numbers(0, 2)) if noise and kind != "clipped" else 0

    def one_each(low: ExactLike, high: ExactLike) -> list[Fraction]:
        return draw(st.lists(numbers(low, high), min_size=clients, max_size=clients))

    if kind == "quadratic":
        curvature = numbers("1/4", 2)
        if flat:
            curvature |= st.sampled_from([Fraction(1, q) for q in (10, 20, 100)])
        curvatures = draw(st.lists(curvature, min_size=clients, max_size=clients))
        return Quadratic(curvatures, one_each(-3, 3), noise_squared=noise_squared)
    if kind == "clipped":
        return Clipped(one_each(-3, 3), draw(numbers("1/2", 2)))
    if kind == "common-curvature":
        tilts = one_each(-2, 2)
        centre = sum(tilts) / clients
        return CommonCurvature(
            draw(numbers(0, 2)), [b - centre for b in tilts], noise_squared=noise_squared
        )
    raise InvalidInput("problem kind", "be quadratic, common-curvature or clipped", repr(kind))


@st.composite
def scenarios(
    draw: st.DrawFn, claim: Claim, *, noise: bool = True, stated_only: bool = False
) -> Scenario:
    """Scenarios that meet every assumption of a claim about runs (with `stated_only`, every printed
    one).

    A wild scenario is drawn and tamed only as far as the claim demands: step sizes are halved until
    it admits them, so that its edges are reached; then, one after the other, the server step size
    becomes 1, noise is dropped, clients take one local step each, and everybody delivers from the
    newest model.
    """
    if not claim.about:
        raise InvalidInput(
            f"claim {claim.id}",
            "name the algorithms that it is about, to draw scenarios for it",
            "none",
        )
    algorithm = draw(st.sampled_from(claim.about))
    strong = "strong_convexity" in names_of(claim)
    kinds = ("quadratic",) if strong else KINDS
    problem = draw(problems(kinds=kinds, noise=noise, flat=strong))
    member = find_member(fltheory.algorithms, algorithm)
    trace = draw(
        traces(
            num_clients=problem.num_clients,
            max_delay=draw(st.integers(0, 2)) if STARTS_FROM_OLD_MODELS in member.facts else 0,
            max_local_steps=2,
            everyone_first=EVERYONE_FIRST in member.facts,
            empty_rounds=SOMEONE_ALWAYS not in member.facts,
            max_rounds=5,
        )
    )
    wild = Scenario(
        algorithm,
        problem,
        trace,
        start=draw(numbers(-3, 3)),
        local_step_size=draw(numbers("1/4", 4)),
        server_step_size=draw(numbers("1/2", 3)),
        settings={name: draw(_setting(name, trace)) for name in sorted(member.needs)},
    )
    for tamer in _tamer(wild):
        for halvings in range(MOST_HALVINGS):
            scenario = replace(tamer, local_step_size=tamer.local_step_size / 2**halvings)
            if not unmet(claim, scenario, stated_only=stated_only):
                return scenario
    assume(False)
    raise AssertionError("not reached")


def _setting(name: str, trace: Trace) -> st.SearchStrategy[object]:
    """Values of a setting that a method needs."""
    clients = trace.num_clients
    if name == "weights":
        return st.tuples(*[numbers("1/2", 2)] * clients)
    if name == "probabilities":
        return st.tuples(*[numbers("1/4", 1)] * clients)
    if name == "full_local_steps":
        return st.just(max(int(trace.local_steps.max()), 1))
    return numbers(0, 2)


def _tamer(wild: Scenario) -> Iterator[Scenario]:
    """The scenario itself, then ever tamer versions of it."""
    yield wild
    plain = replace(wild, server_step_size=1)
    yield plain
    quiet = replace(plain, problem=replace(plain.problem, noise_squared=0))
    yield quiet
    single = replace(quiet, trace=wild.trace.with_local_steps(1))
    yield single
    everyone = np.ones(wild.trace.delivers.shape, bool)
    yield replace(single, trace=Trace.fresh(everyone))
