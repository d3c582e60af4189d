"""Where AFL's Theorems 2 to 4 and Corollary 1 may fail: uniform samples, runs at the corollary's
step sizes, arrivals that depend on the noise, and horizons."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.crowd import Crowd, Work, sampled_course
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import MEASURES
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.claims.spaces.restated import decided
from fltheory.claims.spaces.runs import draw_run, draw_scenario, draw_trace, on_run
from fltheory.claims.spaces.space import Space
from fltheory.papers.afl.checks.best_bounds import tuned
from fltheory.papers.afl.checks.crowd_runs import instance
from fltheory.papers.afl.checks.error_ball import rate_run
from fltheory.papers.afl.checks.general_arrivals import unit_worker
from fltheory.papers.afl.checks.horizons import least_horizon
from fltheory.papers.afl.checks.uniform_arrivals import sampled
from fltheory.papers.afl.spaces.conditions import RESTATED, restated
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.trace import Trace

DIGITS = 10**24
CURVATURES = (Fraction(1), Fraction(1, 2), Fraction(4))
FLAT = (*CURVATURES, Fraction(1, 10), Fraction(1, 100))
"""Small curvatures let several local steps and delays pass the conditions of short runs."""


def draw_tilted(
    choices: Choices,
    clients: int,
    *,
    noise: bool = True,
    curvatures: tuple[Fraction, ...] = CURVATURES,
) -> CommonCurvature:
    """Tilted clients of a common curvature, with or without noise."""
    tilts = choices.many(lambda: choices.number(-1, 1), clients - 1)
    return CommonCurvature(
        choices.choice(curvatures),
        [*tilts, -sum(tilts, Fraction(0))],
        noise_squared=choices.whole(0, 1) if noise else 0,
    )


def _everyone(choices: Choices, claim: Claim) -> Instance:
    """All workers arrive in every round, so that arrivals are uniform for sure; any delays."""
    about = replace(
        claim,
        about=("afa-cd",),
        assumes=tuple(a for a in claim.assumes if a.id != "afl.uniform-arrivals"),
    )
    found = draw_scenario(choices, about)
    trace = Trace.with_delays(
        np.ones_like(found.trace.delivers),
        found.trace.delays,
        local_steps=np.maximum(found.trace.local_steps, 1),
    )
    scenario = replace(found, trace=trace)
    failing = unmet(claim, scenario, stated_only=True)
    choices.require(not failing, ", ".join(failing))
    return on_run(choices, claim, scenario)


def _uniform(choices: Choices, claim: Claim) -> Instance:
    """Exact means over all sequences of uniform subsets; a delay counts even if its worker is not
    sampled."""
    clients, rounds, steps = choices.whole(1, 3), choices.whole(1, 2), choices.whole(1, 2)
    size = choices.whole(1, clients)
    delays = [[choices.whole(0, min(t, 1)) for _ in range(clients)] for t in range(rounds)]
    problem = draw_tilted(choices, clients)
    local = choices.number("1/4", 1) / 10 ** choices.whole(0, 2)
    server = choices.number("1/4", 4) * choices.power(10, most=2)
    values: Drawn = {
        "num_clients": clients,
        "clients_per_round": size,
        "local_steps": steps,
        "local_step_size": local,
        "server_step_size": server,
        "smoothness": problem.curvature,
        "max_delay": max(max(row) for row in delays),
    }
    for name, holds in decided(RESTATED, claim, values):  # before the costly means
        choices.require(holds, name)
    return sampled(problem, size, delays, steps, local, server)


def _rate_steps(choices: Choices, claim: Claim) -> Instance:
    """eta_L = 1/sqrt(T) and eta = sqrt(m), T and m squares."""
    root, side = choices.whole(1, 3), choices.whole(1, 2)
    clients = side**2 + choices.whole(0, 1)
    delay, steps = choices.whole(0, 2), choices.whole(1, 2)
    problem = draw_tilted(choices, clients, curvatures=FLAT)
    start = choices.number(-3, 3)
    scenario = rate_run(problem, root, side, delay, start=start, steps=steps)
    failing = unmet(claim, scenario, stated_only=True)
    choices.require(not failing, ", ".join(failing))
    return on_run(choices, claim, scenario)


def _remembering(choices: Choices, claim: Claim) -> Instance:
    """AFA-CS with every printed condition; eq. (7) is sure only without noise."""
    return draw_run(choices, replace(claim, about=("afa-cs",)))


def _balanced(choices: Choices, claim: Claim) -> Instance:
    """AFA-CS with one local step at the step size of Corollary 3*; everybody arrives first, then in
    any pattern."""
    trace = draw_trace(choices, delays=False, empty_rounds=False, most_clients=5, most_steps=1)
    rows = trace.delivers.copy()
    rows[0] = True
    part = choices.number("1/10", 1)
    start = choices.number("1/4", 3)
    scenario = tuned(
        Trace.fresh(rows), part, curvature=choices.choice(CURVATURES), start=Fraction(start)
    )
    failing = unmet(claim, scenario, stated_only=True)
    choices.require(not failing, ", ".join(failing))
    return on_run(choices, claim, scenario)


def _uniform_rates(choices: Choices, claim: Claim) -> Instance:
    """Corollary 2's step sizes from its horizon on: one of up to 50 workers at a time, +-1 tilts,
    no delay."""
    side, delay, steps = 1, 0, choices.whole(1, 2)
    pairs = choices.whole(2, 25)
    crowd = Crowd((pairs, pairs), (Fraction(1), Fraction(-1)), noise_squared=Fraction(1))
    root = (6 if steps == 1 else 9) + choices.whole(0, 1)
    delays, local = [min(t, delay) for t in range(root**2)], Fraction(1, root)
    work = Work.of(steps, local, crowd.curvature, crowd.noise_squared)
    start = Fraction(choices.whole(0, 3))
    found = sampled_course(crowd, side**2, delays, work, side * local, start)
    return instance(
        crowd, found, steps, local, side * local, max_delay=delay, clients_per_round=side**2
    )


def _adversary(choices: Choices, claim: Claim) -> Drawn:
    """Of two equal workers with +-1 noise on x^2/2 the one with the larger noise arrives: n = +1
    with chance 3/4; or a fair one."""
    step = Fraction(1, choices.choice((10, 4, 30, 100, 300)))
    rounds = choices.choice((1, 2, 10, 50, 150, 400))
    lean = choices.choice((Fraction(0), Fraction(1, 2)))
    mean, second, total = Fraction(0), Fraction(0), Fraction(0)
    for _ in range(rounds):
        total += second
        second = (1 - step) ** 2 * second - 2 * (1 - step) * step * lean * mean + step**2
        mean = (1 - step) * mean - step * lean
        mean, second = rounded_down(mean, DIGITS), rounded_down(second, DIGITS)
    floor = rounded_down(total / rounds, 10**9)
    return {**unit_worker(step, rounds, floor), "num_clients": 2}


def rounded_down(value: Fraction, parts: int) -> Fraction:
    """The nearest multiple of 1/parts towards 0."""
    return Fraction(int(value * parts), parts)


def _horizon(choices: Choices, claim: Claim) -> Drawn:
    """The least T at which Corollary 1's step sizes are allowed, for any constants."""
    steps, delay, per_round = choices.whole(1, 6), choices.whole(0, 4), choices.whole(1, 9)
    smoothness = choices.number("1/4", 2)
    return {
        "smallest_horizon": least_horizon(steps, delay, per_round, smoothness),
        "local_steps": steps,
        "max_delay": delay,
        "clients_per_round": per_round,
        "smoothness": smoothness,
    }


NAMES = (
    "initial_loss_gap smoothness gradient_noise dissimilarity num_rounds num_clients"
    " local_step_size server_step_size local_steps clients_per_round max_delay"
    " mean_squared_gradient"
)
UNIFORM = frozenset(NAMES.split())
UNIFORM_CLAIMS = ("afl.thm3", "afl.thm3c", "afl.thm3star")

SPACES = restated(
    (
        Space(
            "afl thm3 everyone",
            "All workers arrive in every round, any delays, any server step size that the"
            " conditions allow.",
            frozenset(MEASURES),
            _everyone,
            UNIFORM_CLAIMS,
        ),
        Space(
            "afl thm3",
            "Exact means over all sequences of uniform subsets of up to three workers and two"
            " rounds.",
            UNIFORM,
            _uniform,
            UNIFORM_CLAIMS,
        ),
        Space(
            "afl cor2 runs",
            "Uniform arrivals at the step sizes of Corollary 2, up to 50 workers, exact moments.",
            UNIFORM | {"least_local_steps"},
            _uniform_rates,
            ("afl.cor2.explicit",),
        ),
        Space(
            "afl cor1 runs",
            "Runs with eta_L = 1/sqrt(T) and eta = sqrt(m), up to nine rounds and five workers.",
            frozenset(MEASURES),
            _rate_steps,
            ("afl.cor1.any-horizon", "afl.cor1.explicit"),
        ),
        Space(
            "afl thm4",
            "Runs of AFA-CS within its printed conditions.",
            frozenset(MEASURES),
            _remembering,
            ("afl.thm4",),
        ),
        Space(
            "afl cor3star",
            "Runs of AFA-CS at the step size of Corollary 3*, any arrivals.",
            frozenset(MEASURES),
            _balanced,
            ("afl.cor3star",),
        ),
        given(
            "Of two workers the one with the larger noise arrives (left side rounded down).",
            NAMES,
            ("afl.thm2.adaptive",),
            _adversary,
        ),
        given(
            "The least horizon, by bisection.",
            "smallest_horizon local_steps max_delay clients_per_round smoothness",
            ("afl.cor1.horizon",),
            _horizon,
        ),
    )
)
