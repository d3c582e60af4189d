"""The setting and the algorithms: two independent ways to each quantity."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy

from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import availability_patterns, expectation, selections, signs
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace

HALF = Fraction(1, 2)
TUG = Clipped(centres=(-1, 2), bound=1, curvatures=(1, HALF))


@by_instances(Method.EXACT_RUN, covers="two quadratic clients, three weightings, four points")
def objective() -> Iterator[Instance]:
    for shares, x in product((("1/2", "1/2"), ("3/4", "1/4"), ("1/6", "5/6")), (-1, 0, HALF, 2)):
        weighted = Quadratic((2, 3), (0, 1), importance=shares)
        equal = weighted.equally_weighted()
        losses = [global_loss(problem, [[x]], RATIONAL)[0, 0] for problem in (weighted, equal)]
        yield Instance({"weighted_loss": losses[0], "average_loss": losses[1]})


def weighted_limits(rescaled: bool) -> Decide:
    """Where Algorithm 1 ends with unequal weights, everybody available."""

    @by_instances(Method.EXACT_RUN, covers="two clients (x - e_i)^2, three weightings")
    def decide() -> Iterator[Instance]:
        for shares in (("3/4", "1/4"), ("1/2", "1/2"), ("1/10", "9/10")):
            weighted = Quadratic((2, 2), (0, 1), importance=shares)
            problem = weighted.equally_weighted() if rescaled else weighted
            run = Scenario(
                "fedlaavg", problem, Trace.fresh([[1, 1]] * 3), start=0, local_step_size="1/4"
            )
            limit = limit_cycle(
                FedLaAvg(), problem, run.trace, local_step_size=Fraction(1, 4)
            ).at_period_end
            assert limit is not None
            assert weighted.constants.optimum is not None
            yield Instance(
                {"limit_at_period_end": limit[0], "optimum": weighted.constants.optimum[0]},
                f"w = {shares}, e = (0, 1)",
                {
                    "run": run.to_json(),
                    "measures": {"limit_at_period_end": "limit", "optimum": "optimum"},
                },
            )

    return decide


@by_instances(Method.EXACT_RUN, covers="Huber loss and its negative, all pairs of 11 points")
def parabola() -> Iterator[Instance]:
    line = Line(Clipped(centres=(0, 1), bound=1, curvatures=(1, -1)))
    points = [Fraction(k, 2) for k in range(-4, 7)]
    for client, u, v in product((0, 1), points, points):
        if u != v:
            yield Instance(
                {
                    "loss_there": line.loss(client, v),
                    "loss_here": line.loss(client, u),
                    "slope_here": line.slope(client, u),
                    "displacement": v - u,
                    "smoothness": 1,
                },
                f"client {client}, u={u}, v={v}",
            )


@by_instances(Method.ENUMERATION, covers="both signs of the noise, two scales, four points")
def second_moments() -> Iterator[Instance]:
    """Enumerate the noise of a clipped problem whose constants the engine states."""
    for scale, x in product((HALF, Fraction(1)), (-3, 0, HALF, 3)):
        problem = Clipped(centres=(0, 1), bound=1, noise_squared=scale**2)
        slope = Line(problem).slope(0, Fraction(str(x)))
        draws = [sign * scale for (sign,) in signs(1)]
        constants = problem.constants
        assert constants.gradient_bound_squared is not None
        yield Instance(
            {
                "noise_second_moment": expectation([n * n for n in draws]),
                "gradient_noise": scale,
                "gradient_second_moment": expectation([(slope + n) ** 2 for n in draws]),
                "gradient_bound": sympy.sqrt(sympy.Rational(str(constants.gradient_bound_squared))),
            }
        )


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


def least_window(table: Any) -> int:
    """Assumption 4 tried with E = 1, 2, ...: each client in each stretch, where the rounds before
    and after count as absent."""
    rounds = len(table)
    return next(
        e
        for e in range(1, rounds + 2)
        if all(table[t : t + e].any(axis=0).all() for t in range(rounds - e + 1))
    )


def longest_absence(table: Any) -> int:
    """Most successive rounds without some client, by splitting each column at its ones."""
    return max(
        len(gap)
        for column in table.T.astype(int).tolist()
        for gap in "".join(map(str, column)).split("1")
    )


@by_instances(Method.ENUMERATION, covers="all tables of two clients over five rounds with E <= 4")
def windows() -> Iterator[Instance]:
    for table in availability_patterns(2, 5, 4):
        yield Instance(
            {
                "availability_window": least_window(table),
                "longest_absence": longest_absence(table),
            }
        )


@by_instances(Method.ENUMERATION, covers="all tables, two clients, three rounds of two iterations")
def round_windows() -> Iterator[Instance]:
    """The set available in a round is the intersection over its iterations."""
    tables = {
        np.array(bits).reshape(3, 2, 2).all(axis=1).tobytes()
        for bits in product((False, True), repeat=12)
    }
    for table in sorted(tables):
        by_round = np.frombuffer(table, np.bool_).reshape(3, 2)
        if by_round.any(axis=0).all():
            yield Instance(
                {
                    "availability_window": least_window(by_round),
                    "longest_absence": longest_absence(by_round),
                }
            )


def engine_and_literal(
    local_steps: tuple[int, ...], *, virtual: bool = False, divided: bool = True
) -> Decide:
    """The engine's incremental method against Algorithm 3 written out, on all participations of two
    clients in up to three rounds."""

    @by_instances(
        Method.EXACT_RUN,
        covers="all participations of two clients in two rounds (three for one C), C in"
        f" {local_steps}, with and without noise, cold starts included",
    )
    def decide() -> Iterator[Instance]:
        line = Line(TUG)
        for steps, rounds in product(local_steps, (1, 2, 3) if len(local_steps) == 1 else (1, 2)):
            for bits in product(((1, 1), (1, 0), (0, 1), (0, 0)), repeat=rounds):
                if any(any(row) for row in bits):
                    yield from _models(line, bits, steps, virtual, divided)

    return decide


def _models(line: Line, bits: Any, steps: int, virtual: bool, divided: bool) -> Iterator[Instance]:
    size = Fraction(1, 4)
    trace = Trace.fresh(bits, local_steps=steps)
    places = [(i, t) for t in range(1, len(bits) * steps + 1) for i in range(2)]
    for noise in ({}, {place: HALF * (-1) ** k for k, place in enumerate(places)}):

        def engine_noise(index: int, step: int, noise: Any = noise) -> Any:
            return [[noise.get((i, index * steps + step + 1), Fraction(0))] for i in range(2)]

        literal = algorithm_3(line, bits, steps, size, Fraction(1), noise, divided=divided).models
        if virtual:
            run = simulate_virtual(
                FedLaAvg(), line.problem, trace, start=1, local_step_size=size, noise=engine_noise
            )
            pairs = [
                (run[r, k, 0], literal[r * steps + k])
                for r in range(len(bits))
                for k in range(min(steps, run.shape[1] - 1) + 1)
            ]
        else:
            models = simulate(
                FedLaAvg(), line.problem, trace, start=1, local_step_size=size, noise=engine_noise
            ).models[:, 0]
            pairs = list(zip(models, literal[::steps], strict=True))
        quiet = (
            Scenario("fedlaavg", line.problem, trace, start=1, local_step_size=size).to_json()
            if not (noise or virtual)
            else None
        )
        for index, (server, written) in enumerate(pairs):
            literal_measure = {} if divided else {"literal_model": f"undivided:{index}"}
            origin = (
                {"run": quiet, "measures": {"server_model": f"model:{index}"} | literal_measure}
                if quiet and steps == 1
                else None
            )
            yield Instance(
                {"server_model": server, "literal_model": written},
                f"N=2, C={steps}, participation {bits}",
                origin,
            )


@by_instances(Method.EXACT_RUN, covers="three clients, 124 participation tables of three rounds")
def running_mean() -> Iterator[Instance]:
    """The engine's state after every round: running mean against the mean of the table of latest
    updates."""
    problem = Quadratic((2, 1, 3), (0, 1, 4))
    for bits in product(((1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 0), (1, 1, 1)), repeat=3):
        if any(any(row) for row in bits):
            state = simulate(
                FedLaAvg(), problem, Trace.fresh(bits), start=2, local_step_size="1/5"
            ).final.server
            yield Instance(
                {
                    "running_gradient": state.mean_update[0, 0],
                    "mean_latest_gradient": sum(state.latest_updates[:, 0]) / 3,
                }
            )


@by_instances(Method.EXACT_RUN, covers="two clients in three rounds of two local steps")
def nothing_carried_over() -> Iterator[Instance]:
    """Two clients in every round: u^r is the mean of the differences alone, against the mean of the
    updates (C = 2)."""
    problem = Quadratic((2, 1), (0, 1))
    latest = [
        simulate(
            FedLaAvg(),
            problem,
            Trace.fresh([[1, 1]] * rounds, local_steps=2),
            start=2,
            local_step_size="1/5",
        ).final.server.latest_updates[:, 0]
        for rounds in (1, 2, 3)
    ]
    for r, (before, now) in enumerate(pairwise(latest), start=2):
        yield Instance(
            {"literal_update": sum(now - before) / 2, "mean_latest_update": sum(now) / 2},
            f"everybody, round {r}",
        )


def periods(extra: int) -> Decide:
    """Count selections in every period of I + extra rounds, everybody available exactly every E
    rounds (and always, E = 1)."""

    @by_instances(Method.EXACT_RUN, covers="up to four clients, everybody every E <= 3 rounds")
    def decide() -> Iterator[Instance]:
        for window, clients in product((2, 1, 3), (1, 2, 3, 4)):
            for used in range(clients, 0, -1):
                length = -(-clients // used) * window - 1 + extra
                chosen = longest_absent(WithinWindow(clients, window).matrix(3 * length + 3), used)
                counts = [
                    chosen[t : t + length].sum(axis=0).min()
                    for t in range(len(chosen) - length + 1)
                ]
                if length:
                    yield Instance(
                        {"fewest_selections": int(min(counts))},
                        f"N={clients}, K={used}, E={window}, periods of {length}",
                    )

    return decide


@by_instances(Method.EXACT_RUN, covers="two clients in turn, one and two local steps")
def held_by_server() -> Iterator[Instance]:
    """f_i' = x - 1 and x + 1 (clipped), one client per round in turn."""
    line = Line(Clipped(centres=(1, -1), bound=2))
    for steps in (1, 2):
        models = algorithm_3(
            line, ((1, 0), (0, 1), (1, 0)), steps, Fraction(1, 4), Fraction(1), {}
        ).models
        for r in (1, 2, 3):
            yield Instance(
                {"server_holds_it": int(models[r * steps - 1] in models[::steps])},
                f"N=2, K=1, C={steps}, step size 1/4, x0=1, round {r}: x = {models[r * steps - 1]}",
            )


@by_instances(Method.ENUMERATION, covers="all availability of two clients in three rounds")
def latest_rounds() -> Iterator[Instance]:
    for available in availability_patterns(2, 3, 2):
        for chosen in selections(available, 1):
            for i in range(2):
                used, there = np.flatnonzero(chosen[:, i]), np.flatnonzero(available[:, i])
                values = {
                    "round_of_update": int(used[-1]) + 1 if used.size else 0,
                    "latest_available_round": int(there[-1]) + 1,
                }
                tables = (
                    f"available {available.astype(int).tolist()}, selected"
                    f" {chosen.astype(int).tolist()}"
                )
                yield Instance(values, f"K=1, {tables}, client {i + 1}")


CHECKS = (
    Check("fedlaavg.def.objective", objective),
    Check("fedlaavg.def.grad", weighted_limits(rescaled=False)),
    Check("fedlaavg.def.grad.corrected", weighted_limits(rescaled=True)),
    Check("fedlaavg.asm1", parabola),
    Check("fedlaavg.asm2", second_moments),
    Check("fedlaavg.asm3", second_moments),
    Check("fedlaavg.asm3.noise", noise_below_gradient),
    Check("fedlaavg.asm4", windows),
    Check("fedlaavg.asm5", round_windows),
    Check("fedlaavg.alg1", engine_and_literal((1,))),
    Check("fedlaavg.eq3", running_mean),
    Check("fedlaavg.sec32.period", periods(0)),
    Check("fedlaavg.sec32.period.corrected", periods(1)),
    Check("fedlaavg.alg2", engine_and_literal((1, 2))),
    Check("fedlaavg.alg3", engine_and_literal((1, 2), divided=False)),
    Check("fedlaavg.alg3.corrected", engine_and_literal((2, 3), virtual=True)),
    Check("fedlaavg.alg3.server", held_by_server),
    Check("fedlaavg.alg2.line4", nothing_carried_over),
    Check("fedlaavg.sec5.latest", latest_rounds),
)
