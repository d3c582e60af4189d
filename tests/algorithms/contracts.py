"""What every algorithm promises, each promise as one function of an algorithm and a case."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory import FLOAT, RATIONAL, Quadratic, Trace, named_arithmetic
from fltheory.core.registry import Settings
from fltheory.engine.noise import Rademacher
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.run import make_run, start_row
from tests.algorithms.cases import (
    CLOSE,
    PER_CLIENT,
    Case,
    generated,
    local_sizes,
    server_sizes,
    settings_of,
)

Make = Callable[[Settings], Any]
Contract = Callable[[Make, Any], None]


def fractions(models: Any) -> Any:
    return np.frompyfunc(lambda x: Fraction(int(x.p), int(x.q)), 1, 1)(models)


def same_in_every_arithmetic(make: Make, case: Case) -> None:
    exact = case.run(make(case.settings))
    assert (
        fractions(case.run(make(case.settings), arithmetic=named_arithmetic("symbolic"))) == exact
    ).all()
    for arithmetic in (FLOAT, named_arithmetic("tensor")):
        apart = case.run(make(case.settings), arithmetic=arithmetic) - exact.astype(float)
        assert abs(apart).max() <= CLOSE * max(1.0, abs(exact.astype(float)).max()), arithmetic.name


def pure(make: Make, case: Case) -> None:
    """A round changes nothing that it was given, and the same round twice gives the same state."""
    algorithm = make(case.settings)
    run = make_run(
        algorithm,
        case.problem,
        case.trace,
        arithmetic=RATIONAL,
        noise=Rademacher(case.problem, 1, case.seed),
    )
    state = run.start(start_row(case.start, case.problem.dimension, RATIONAL))
    for row in rounds(case.trace, RATIONAL, schedule(local_sizes), schedule(server_sizes)):
        before, round = repr(state), algorithm.worker.reads(row)
        deliveries = run.partial_deliveries(state, round)[-1]
        given_deliveries = deliveries.copy()
        following = run.finish(state, deliveries, round)
        assert (deliveries == given_deliveries).all()
        assert (
            repr(run.finish(state, deliveries, round))
            == repr(run.advance(state, row))
            == repr(following)
        )
        assert repr(state) == before
        state = following


def batch_equals_singles(make: Make, case: Case) -> None:
    trace = case.trace
    others = [trace, Trace.fresh(np.ones_like(trace.delivers)), Trace.fresh(trace.delivers[::-1])]
    stacked = Trace(
        *(
            np.stack([getattr(one, name) for one in others])
            for name in ("delivers", "started_from", "local_steps")
        )
    )
    together = case.run(make(case.settings), trace=stacked)
    assert (
        together == np.stack([case.run(make(case.settings), trace=one) for one in others])
    ).all()


def stays_put_at_a_common_stationary_point(make: Make, case: Case) -> None:
    common = Quadratic(case.problem.curvatures, [case.start] * case.problem.num_clients)
    assert (case.run(make(case.settings), problem=common, noise=None) == np.array(case.start)).all()


def moves_with_a_translation(make: Make, case: Case) -> None:
    shift = np.array([Fraction(k + 1, 7) for k in range(case.problem.dimension)])
    moved = Quadratic(case.problem.curvatures, np.array(case.problem.optima) + shift)
    shifted = case.run(
        make(case.settings), problem=moved, start=tuple(np.array(case.start) + shift)
    )
    assert (shifted - case.run(make(case.settings)) == shift).all()


def forgets_names(make: Make, case: Case) -> None:
    """Clients in reverse order, with their data, their availability, their noise and their weights:
    the same models."""
    problem, trace, noise = case.problem, case.trace, Rademacher(case.problem, "1/4", case.seed)
    renamed = Trace(
        *(getattr(trace, name)[:, ::-1] for name in ("delivers", "started_from", "local_steps"))
    )
    reverse = {name: case.settings.need(name)[::-1] for name in PER_CLIENT}
    other = make(Settings({**case.settings.given, **reverse}))
    models = case.run(
        other,
        problem=Quadratic(problem.curvatures[::-1], problem.optima[::-1]),
        trace=renamed,
        noise=lambda index, step: noise(index, step)[::-1],
    )
    assert (models == case.run(make(case.settings))).all()


def is_gradient_descent_for_one_client(make: Make, case: Case) -> None:
    alone = Quadratic(case.problem.curvatures[:1], case.problem.optima[:1])
    noise = Rademacher(alone, "1/4", case.seed)
    models = case.run(
        make(settings_of(1, most_steps=1)),
        problem=alone,
        trace=Trace.fresh(np.ones((4, 1), bool)),
        noise=noise,
    )
    gradient, point = alone.gradients(RATIONAL), RATIONAL.rows([case.start])
    for t in range(4):
        point = point - server_sizes(t) * local_sizes(t) * (gradient(point) + noise(t, 0))
        assert (models[t + 1] == point[0]).all()


def longer_runs_extend_shorter_ones(make: Make, case: Case) -> None:
    algorithm = make(case.settings)
    short = [
        case.run(algorithm, trace=case.trace.first(n)) for n in range(1, case.trace.num_rounds + 1)
    ]
    whole = case.run(algorithm)
    assert all((models == whole[: len(models)]).all() for models in short)


def server_step_size_scales_a_round(make: Make, case: Case) -> None:
    once, thrice = (
        case.run(make(case.settings), trace=case.trace.first(1), server_step_size=size)
        for size in (1, 3)
    )
    assert (thrice[1] - thrice[0] == 3 * (once[1] - once[0])).all()


CONTRACTS = (
    same_in_every_arithmetic,
    pure,
    batch_equals_singles,
    stays_put_at_a_common_stationary_point,
    moves_with_a_translation,
    forgets_names,
    is_gradient_descent_for_one_client,
    longer_runs_extend_shorter_ones,
    server_step_size_scales_a_round,
)


def meet(contract: Contract, make: Make, count: int = 6) -> None:
    """Put a contract to the test on generated cases."""
    for case in generated(count):
        contract(make, case)
