"""What every algorithm promises, for every member of the open folder; and impostors that the
promises must expose."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory import FLOAT, RATIONAL, FedAvg, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.fedavg import ModelState
from fltheory.core.exact import shares
from fltheory.core.registry import Settings, members
from fltheory.engine.arithmetic import mean, total
from fltheory.engine.noise import Rademacher
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.run import make_run, start_row
from fltheory.engine.simulate import simulate
from fltheory.engine.workers import LOCAL_SGD, Worker

Make = Callable[[Settings], Any]
Contract = Callable[[Make, Any], None]
PER_CLIENT = ("weights", "probabilities", "importance")
MOST_STEPS, CLOSE = 3, 1e-12


@dataclass(frozen=True)
class Case:
    """A noisy quadratic, a trace with absences, delays and uneven work, a start, and step sizes
    that change from round to round."""

    problem: Quadratic
    trace: Trace
    start: tuple[Fraction, ...]
    seed: int

    @property
    def settings(self) -> Settings:
        return settings_of(self.trace.num_clients)

    def run(self, algorithm: Any, **changes: Any) -> Any:
        arguments = {
            "problem": self.problem,
            "trace": self.trace,
            "start": self.start,
            "local_step_size": local_sizes,
            "server_step_size": server_sizes,
            "noise": Rademacher(self.problem, "1/4", self.seed),
        }
        return simulate(algorithm, **(arguments | changes)).models


def local_sizes(index: int) -> Fraction:
    return Fraction(1, index + 4)


def server_sizes(index: int) -> Fraction:
    return Fraction(index + 2, index + 3)


def settings_of(num_clients: int, most_steps: int = MOST_STEPS) -> Settings:
    """Everything that any member may ask for; clients differ in all of it."""
    parts = [Fraction(i + 1) for i in range(num_clients)]
    importance = tuple(part / sum(parts) for part in parts)
    return Settings(
        {
            "weights": importance,
            "probabilities": tuple(part / num_clients for part in parts),
            "importance": importance,
            "proximal_strength": Fraction(1, 3),
            "full_local_steps": most_steps,
        }
    )


def traces(num_clients: int, num_rounds: int) -> st.SearchStrategy[Trace]:
    shape = (num_rounds, num_clients)

    def table(cells: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
        return st.lists(
            cells, min_size=num_rounds * num_clients, max_size=num_rounds * num_clients
        ).map(lambda x: np.reshape(x, shape))

    def build(delivers: Any, delays: Any, steps: Any) -> Trace:
        return Trace.with_delays(
            delivers, np.minimum(delays, np.arange(num_rounds)[:, None]), local_steps=steps
        )

    return st.builds(
        build, table(st.integers(0, 1)), table(st.integers(0, 2)), table(st.integers(1, MOST_STEPS))
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    num_clients, dimension, num_rounds = (
        draw(st.integers(2, 4)),
        draw(st.integers(1, 2)),
        draw(st.integers(2, 4)),
    )
    numbers = st.fractions(-3, 3, max_denominator=6)

    def rows(entries: st.SearchStrategy[Fraction], count: int) -> Any:
        return draw(st.lists(st.tuples(*[entries] * dimension), min_size=count, max_size=count))

    problem = Quadratic(
        rows(st.fractions(0, 3, max_denominator=4), num_clients), rows(numbers, num_clients)
    )
    return Case(
        problem, draw(traces(num_clients, num_rounds)), rows(numbers, 1)[0], draw(st.integers(0, 9))
    )


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
ALGORITHMS = members(fltheory.algorithms)


@cache
def generated(count: int) -> tuple[Case, ...]:
    """The same cases for everybody, drawn once."""
    found = []

    @settings(max_examples=count, phases=(Phase.generate,), database=None)
    @given(cases())
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return tuple(found)


def meet(contract: Contract, make: Make, count: int = 6) -> None:
    """Put a contract to the test on generated cases."""
    for case in generated(count):
        contract(make, case)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_keeps_the_contract(name: str, contract: Contract) -> None:
    meet(contract, ALGORITHMS[name].build)


@dataclass(frozen=True)
class Impostor:
    """FedAvg but for one flaw, given as (model, deliveries, round, log) -> next model."""

    flaw: Callable[[Any, Any, Any, list[int]], Any]
    log: list[int] = field(default_factory=list)
    worker: Worker = LOCAL_SGD

    def start(self, model: Any, zeros: Any) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Any, round: Any) -> ModelState:
        return ModelState(self.flaw(state.model, deliveries, round, self.log))


def honest(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return model - round.server_step_size * total(
        round.started_step_size * round.share * deliveries
    )


def numbers_clients(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    count = deliveries.shape[-2]
    return honest(
        model,
        round.per_client(shares([Fraction(2 * i + 1, count**2) for i in range(count)], count))
        * deliveries,
        round,
        log,
    )


def remembers_in_secret(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    log.append(round.index)
    return honest(model, deliveries, round, log) * (1 if len(log) < 5 else 2)


def overwrites_deliveries(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    deliveries *= round.started_step_size * round.share
    return model - round.server_step_size * total(deliveries)


def looks_across_the_batch(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, int(round.local_steps.max()) * deliveries, round, log)


def branches_on_arithmetic(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries * (2 if round.arithmetic.name == "float" else 1), round, log)


def decays(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries, round, log) * round.number("9/10")


def drifts(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries, round, log) + round.local_step_size


def steps_twice(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, 2 * deliveries, round, log)


def ignores_the_server(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return model - total(round.started_step_size * round.share * deliveries)


EXPOSED = (
    (forgets_names, numbers_clients),
    (pure, remembers_in_secret),
    (longer_runs_extend_shorter_ones, remembers_in_secret),
    (pure, overwrites_deliveries),
    (batch_equals_singles, looks_across_the_batch),
    (same_in_every_arithmetic, branches_on_arithmetic),
    (moves_with_a_translation, decays),
    (stays_put_at_a_common_stationary_point, drifts),
    (is_gradient_descent_for_one_client, steps_twice),
    (server_step_size_scales_a_round, ignores_the_server),
)


@pytest.mark.parametrize(("contract", "flaw"), EXPOSED, ids=lambda part: part.__name__)
def test_an_impostor_is_exposed(contract: Contract, flaw: Any) -> None:
    with pytest.raises(AssertionError):
        meet(contract, lambda _: Impostor(flaw), count=40)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_the_impostors_are_sound_without_their_flaw(contract: Contract) -> None:
    meet(contract, lambda _: Impostor(honest))


def test_every_contract_exposes_someone() -> None:
    assert {contract for contract, _ in EXPOSED} == set(CONTRACTS)


def test_an_algorithm_that_divides_by_all_clients_is_not_fedavg() -> None:
    """It is lawful in general (nothing above forbids it), but it is no average of the deliverers'
    models."""
    case = Case(Quadratic((1, 1), (0, 4)), Trace.fresh([[1, 0]]), (Fraction(2),), 0)
    divides_by_all = Impostor(
        lambda model, deliveries, round, log: model - round.local_step_size * mean(deliveries)
    )
    average_of_deliverers = case.start[0] - local_sizes(0) * case.start[0]
    run = partial(case.run, noise=None, server_step_size=1)
    assert run(FedAvg())[-1] == average_of_deliverers
    assert run(divides_by_all)[-1] == run(Mifa())[-1] != average_of_deliverers
