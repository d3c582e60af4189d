"""The best known forms of Theorems 5.1 and 6.1 on exact runs at the edge of their conditions, and
on long runs of many devices by moments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.moments import expected_gap
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.scope import Coverage
from fltheory.core.types import Scalar
from fltheory.papers.mifa.checks.best_runs import (
    coin_flips,
    convex_sizes,
    falling_runs,
    fixed_runs,
    late,
    smooth_runs,
)
from fltheory.papers.mifa.checks.large_scale import steep_client
from fltheory.papers.mifa.checks.runs import (
    constant_step,
    decreasing_steps,
    nonconvex_runs,
    periodic,
    strongly_convex_runs,
)
from fltheory.papers.mifa.checks.tools import known
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import (
    max_staleness,
    mean_client_max_staleness,
    mean_staleness,
)

F = Fraction
Rows = Sequence[Sequence[int]]


def gap_with_noise(run: ExactRun, t: int) -> Fraction:
    """E f(w_t) - f*."""
    point, moves = run.models[t], run.responses[:, t]
    bends = run.global_gradients(point + moves) - run.global_gradients(point)
    return run.loss_gap(point) + run.draw_variance * Fraction((moves * bends).sum()) / 2


def last_distance(run: ExactRun) -> Fraction:
    """E |w_T - w*|^2."""
    away = run.models[-1] - np.array(known(run.scenario.problem.constants.optimum), dtype=object)
    return Fraction((away**2).sum()) + run.draw_variance * Fraction(
        (run.responses[:, -1] ** 2).sum()
    )


OUTCOMES: dict[str, Callable[[ExactRun], Fraction]] = {
    "last_squared_distance": last_distance,
    "mean_model_gap": lambda run: (
        sum((gap_with_noise(run, t) for t in range(len(run.models))), F(0)) / len(run.models)
    ),
    "mean_squared_gradient_of_models": lambda run: (
        Fraction(sum(run.squared_gradients)) / len(run.models)
    ),
}
"""Left sides that are this paper's own."""


def values_of(claim: Claim, scenario: Scenario) -> dict[str, Scalar]:
    """The claim's symbols on a run, and what its trivial bound needs."""
    names = {s.name for s in claim.symbols} | {
        "smoothness", "initial_distance", "initial_loss_gap", "max_staleness"
    }  # fmt: skip
    values = measure(scenario, names - set(OUTCOMES))
    run = ExactRun(scenario)
    return values | {name: OUTCOMES[name](run) for name in names & set(OUTCOMES)}


def on_runs(claim: Claim, scenarios: Callable[[], Iterable[Scenario]], covers: str) -> Evidence:
    """Both sides on every run that meets the claim's hypotheses."""
    coverage = Coverage()

    def admissible() -> Iterator[Instance]:
        for scenario in scenarios():
            if not unmet(claim, scenario):
                coverage.add_run(scenario)
                yield Instance(values_of(claim, scenario), scenario.says)

    return check_instances(
        claim, admissible(), method=Method.EXACT_RUN, covers=covers, coverage=coverage
    )


def _weights(offset: int) -> Callable[[int], int]:
    """(t + a - 1)(t + a - 2), with rounds counted from 0."""
    return lambda t: (t + offset) * (t + offset - 1)


def long_runs(claim: Claim) -> Evidence:
    """A hundred devices over up to 20,000 rounds by moments in floating point (Theorem 5.1)."""

    def instances() -> Iterator[Instance]:
        for rounds, count, steps, percent in (
            (2000, 10, 1, 30), (20000, 4, 2, 10), (400, 100, 3, 50), (20, 100, 5, 10)
        ):  # fmt: skip
            longest = 15
            rows, offset = coin_flips(rounds, count, percent, longest), 40 * longest
            trace = Trace.fresh(rows, local_steps=steps)
            for noise, spread, start in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (4, 3, 5)):
                optima = [spread * (-1) ** i for i in range(count)]
                problem = Quadratic((1,) * count, optima, noise_squared=noise)

                def size(t: int, steps: int = steps, offset: int = offset) -> float:
                    return 4 / (steps * (t + 1 + offset))

                gap = expected_gap(
                    Mifa(),
                    problem,
                    trace,
                    start=start,
                    local_step_size=size,
                    average=_weights(offset),
                )
                total = sum((t + offset) * (t + offset - 1) for t in range(rounds + 1))
                if steps == 1 and spread and not noise and not start:
                    continue  # without local steps the optimum is a fixed point: both sides are 0
                yield Instance(
                    {
                        "num_clients": count,
                        "num_rounds": rounds,
                        "local_steps": steps,
                        "step_offset": offset,
                        "gradient_noise": F(noise) if noise < 2 else 2,
                        "dissimilarity_at_optimum": spread**2,
                        "smoothness": 1,
                        "strong_convexity": 1,
                        "initial_distance": start,
                        "mean_staleness": mean_staleness(trace),
                        "max_staleness": max_staleness(trace),
                        "weighted_loss_gap": F(float(gap.bias + gap.noise) / total**2),
                    },
                    f"{count} devices, {rounds} rounds, K = {steps}, chance {percent}/100",
                )

    return check_instances(
        claim,
        instances(),
        method=Method.MOMENTS,
        covers=(
            "one curvature, availability by chance with absences of up to 15 rounds, up to 100"
            " devices, 20,000 rounds and 5 local steps, noise, dissimilarity and start apart and"
            " together"
        ),
    )


def steep_runs(claim: Claim) -> Evidence:
    """The client that is steep near its optimum and flat far away, condition number 100, solved."""
    return check_instances(
        claim,
        [steep_client(1, F(1), rounds) for rounds in (99_863, 20_000, 500_000)],
        method=Method.EXACT_RUN,
        covers="f'(x) = x + clip(99 x, -1, 1) for up to 500,000 rounds, left side rounded down",
    )


def _growing(gap: int) -> Callable[[int], float]:
    """The staleness t0 + t/b of Assumption 4 with L = mu."""
    return lambda t: gap + t / 40


def printed_runs() -> Iterator[Scenario]:
    """Runs with the printed step sizes: the small ones, long absences, many devices."""
    yield from strongly_convex_runs()
    for gap in (1, 4, 15):
        rows = late(40, 2, _growing(gap))
        yield decreasing_steps(
            Quadratic((1, 1), (1, -2)), rows, initial_gap=gap, start=5, local_steps=3
        )
    rows = coin_flips(4, 50, 30, 2)
    problem = Quadratic((1, 4) * 25, tuple(range(50)), noise_squared=1)
    yield decreasing_steps(problem, rows, initial_gap=2, start=20)


def printed_step_runs() -> Iterator[Scenario]:
    """The runs of Theorem 6.1, and many devices over few rounds."""
    yield from nonconvex_runs()
    for count, rounds, period in ((16, 15, 1), (9, 35, 1), (49, 48, 1), (4, 35, 4)):
        rows = periodic(rounds, [period] * count)
        worst = mean_client_max_staleness(Trace.fresh(rows))
        # eta is rational if N/((T) L (1 + nu)) is a square
        curvature = F(count, 16 * (rounds + 1) * (1 + worst)) / F(1, 4) ** 2 / (4 * count) ** 2
        noise = 1 if count * rounds <= 400 else 0
        problem = Quadratic(
            (curvature,) * count, [i % 3 for i in range(count)], noise_squared=noise
        )
        yield constant_step(problem, rows, start=4)


EDGE = "exact expectations on quadratics at the edge of the conditions"
CHECKS = (
    Check(
        "mifa.thm5.1.best",
        partial(
            on_runs,
            scenarios=falling_runs,
            covers=f"{EDGE}: L/mu up to 100, up to 400 rounds and 100 devices, 6 local steps",
        ),
    ),
    Check("mifa.thm5.1.best", steep_runs),
    Check("mifa.thm5.1.best", long_runs),
    Check("mifa.thm5.1.terms", steep_runs),
    Check(
        "mifa.thm5.1.terms",
        partial(
            on_runs,
            scenarios=printed_runs,
            covers="exact expectations on quadratics with the printed step sizes, up to 50 devices",
        ),
    ),
    Check(
        "mifa.thm5.1.constant_step",
        partial(
            on_runs,
            scenarios=partial(fixed_runs, convex_sizes),
            covers=f"{EDGE}: L/mu up to 10, up to 30 devices, 40 rounds, 12 local steps",
        ),
    ),
    Check(
        "mifa.thm5.1.convex",
        partial(
            on_runs,
            scenarios=partial(fixed_runs, convex_sizes),
            covers=f"{EDGE}: up to 30 devices, 40 rounds, 12 local steps",
        ),
    ),
    Check(
        "mifa.thm6.1.best",
        partial(
            on_runs,
            scenarios=partial(smooth_runs, one_step=False),
            covers=f"{EDGE}: up to 30 devices, 40 rounds, 12 local steps",
        ),
    ),
    Check(
        "mifa.thm6.1.best.one_step",
        partial(
            on_runs,
            scenarios=partial(smooth_runs, one_step=True),
            covers=f"{EDGE}: one local step, up to 30 devices and 40 rounds",
        ),
    ),
    Check(
        "mifa.thm6.1.corrected",
        partial(
            on_runs,
            scenarios=printed_step_runs,
            covers="exact expectations on quadratics with the printed step size, up to 49 devices",
        ),
    ),
)
