"""The objective and Assumptions 1 to 5: two independent ways to each quantity."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.enumeration import availability_patterns, expectation, signs
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.types import BoolArray, ExactLike, Scalar
from fltheory.engine.arithmetic import RATIONAL
from fltheory.papers.fedlaavg.checks.literal import Line
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@by_instances(Method.EXACT_RUN, covers="two quadratic clients, three weightings, four points")
def objective() -> Iterator[Instance]:
    """Section 2: sum_i w_i ftilde_i(x) against (1/N) sum_i f_i(x) with f_i = w_i N ftilde_i."""
    points: tuple[ExactLike, ...] = (-1, 0, HALF, 2)
    for shares, x in product((("1/2", "1/2"), ("3/4", "1/4"), ("1/6", "5/6")), points):
        yield Instance(both_losses(Quadratic((2, 3), (0, 1), importance=shares), x))


def both_losses(weighted: Quadratic, x: ExactLike) -> dict[str, Scalar]:
    """The weighted global loss at x, and the plain average of the rescaled losses."""
    losses = (
        global_loss(problem, [[x]], RATIONAL)[0, 0]
        for problem in (weighted, weighted.equally_weighted())
    )
    return dict(zip(("weighted_loss", "average_loss"), losses, strict=True))


def weighted_run(weighted: Quadratic, step_size: Fraction, *, rescaled: bool) -> Scenario:
    """Algorithm 1 on unequally weighted clients that are all available, for three rounds."""
    problem = weighted.equally_weighted() if rescaled else weighted
    trace = Trace.fresh([[1] * weighted.num_clients] * 3)
    return Scenario("fedlaavg", problem, trace, start=0, local_step_size=step_size)


def weighted_limits(rescaled: bool) -> Decide:
    """Section 2: where Algorithm 1 ends with unequal weights, everybody available."""

    @by_instances(Method.EXACT_RUN, covers="two clients (x - e_i)^2, three weightings")
    def decide() -> Iterator[Instance]:
        for shares in (("3/4", "1/4"), ("1/2", "1/2"), ("1/10", "9/10")):
            weighted = Quadratic((2, 2), (0, 1), importance=shares)
            run = weighted_run(weighted, QUARTER, rescaled=rescaled)
            limit = limit_cycle(FedLaAvg(), run.problem, run.trace, local_step_size=QUARTER)
            yield Instance(
                {
                    "limit_at_period_end": known(limit.at_period_end)[0],
                    "optimum": known(weighted.constants.optimum)[0],
                },
                f"w = {shares}, e = (0, 1)",
                {
                    "run": run.to_json(),
                    "measures": {"limit_at_period_end": "limit", "optimum": "optimum"},
                },
            )

    return decide


@by_instances(Method.EXACT_RUN, covers="Huber loss and its negative, all pairs of 11 points")
def parabola() -> Iterator[Instance]:
    """Assumption 1: f_i(v) <= f_i(u) + f_i'(u) (v - u) + L/2 (v - u)^2."""
    line = Line(Clipped(centres=(0, 1), bound=1, curvatures=(1, -1)))
    points = [Fraction(k, 2) for k in range(-4, 7)]
    for client, u, v in product((0, 1), points, points):
        if u != v:
            values = {**touching(line, client, u, v), "smoothness": 1}
            yield Instance(values, f"client {client}, u={u}, v={v}")


def touching(line: Line, client: int, u: Fraction, v: Fraction) -> dict[str, Scalar]:
    """f_i(v), f_i(u), f_i'(u) and v - u."""
    return {
        "loss_there": line.loss(client, v),
        "loss_here": line.loss(client, u),
        "slope_here": line.slope(client, u),
        "displacement": v - u,
    }


@by_instances(Method.ENUMERATION, covers="both signs of the noise, two scales, four points")
def second_moments() -> Iterator[Instance]:
    """Assumptions 2 and 3: E |grad F - grad f_i|^2 <= sigma^2 and E |grad F|^2 <= G^2, with the
    constants that the engine states."""
    for scale, x in product((HALF, Fraction(1)), (Fraction(-3), Fraction(0), HALF, Fraction(3))):
        problem = Clipped(centres=(0, 1), bound=1, noise_squared=scale**2)
        noise, gradient = sign_moments(Line(problem).slope(0, x), scale)
        yield Instance(
            {
                "noise_second_moment": noise,
                "gradient_noise": scale,
                "gradient_second_moment": gradient,
                "gradient_bound": exact_root(problem.constants.gradient_bound_squared),
            }
        )


def sign_moments(slope: Fraction, scale: Fraction) -> tuple[Fraction, Fraction]:
    """E n^2 and E (slope + n)^2 for noise n of +-scale."""
    draws = [sign * scale for (sign,) in signs(1)]
    return expectation([n * n for n in draws]), expectation([(slope + n) ** 2 for n in draws])


def noise_below_gradient(claim: Claim) -> Evidence:
    """E |grad F|^2 = |grad f|^2 + variance, and G^2 is at least that."""
    mean, slack = letter("mean_gradient"), letter("slack", nonnegative=True)
    spread = letter("spread", nonnegative=True)
    derived = {"gradient_noise": spread, "gradient_bound": sympy.sqrt(mean**2 + spread**2 + slack)}
    return check_symbolic(
        claim,
        derived=derived,
        covers="all means, variances and gradient bounds that satisfy Assumption 3",
    )


def least_window(table: BoolArray) -> int:
    """Assumption 4 tried with E = 1, 2, ...: each client in each stretch, where the rounds before
    and after count as absent."""
    rounds = len(table)
    return next(
        e
        for e in range(1, rounds + 2)
        if all(table[t : t + e].any(axis=0).all() for t in range(rounds - e + 1))
    )


def longest_absence(table: BoolArray) -> int:
    """Most successive rounds without some client, by splitting each column at its ones."""
    return max(
        len(gap)
        for column in table.T.astype(int).tolist()
        for gap in "".join(map(str, column)).split("1")
    )


@by_instances(Method.ENUMERATION, covers="all tables of two clients over five rounds with E <= 4")
def windows() -> Iterator[Instance]:
    """Assumption 4: the least window E is one more than the longest absence."""
    for table in availability_patterns(2, 5, 4):
        yield Instance(window_and_absence(table))


def window_and_absence(table: BoolArray) -> dict[str, Scalar]:
    """Both quantities of Assumptions 4 and 5."""
    return {"availability_window": least_window(table), "longest_absence": longest_absence(table)}


def round_tables() -> Iterator[BoolArray]:
    """All availability of two clients in three rounds of two iterations: a client is available in a
    round if it is in both iterations."""
    tables = {
        tuple(np.array(bits).reshape(3, 2, 2).all(axis=1).ravel().tolist())
        for bits in product((False, True), repeat=12)
    }
    for table in sorted(tables):
        yield np.array(table, np.bool_).reshape(3, 2)


@by_instances(Method.ENUMERATION, covers="all tables, two clients, three rounds of two iterations")
def round_windows() -> Iterator[Instance]:
    """Assumption 5: the set available in a round is the intersection over its iterations."""
    for by_round in round_tables():
        if by_round.any(axis=0).all():
            yield Instance(window_and_absence(by_round))


CHECKS = (
    Check("fedlaavg.def.objective", objective),
    Check("fedlaavg.def.grad", weighted_limits(rescaled=False)),
    Check("fedlaavg.def.grad.corrected", weighted_limits(rescaled=True)),
    Check("fedlaavg.asm1", parabola),
    Check("fedlaavg.asm2", second_moments),
    Check("fedlaavg.asm3", second_moments),
    Check(
        "fedlaavg.asm3.noise",
        noise_below_gradient,
        everything=(
            "an inequality in all its symbols; a second moment is the squared mean plus the"
            " variance"
        ),
    ),
    Check("fedlaavg.asm4", windows),
    Check("fedlaavg.asm5", round_windows),
)
