"""The Gram arithmetic: runs over coefficients are the runs over numbers, whatever the functions
are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory import Quadratic, Trace
from fltheory.analysis.worst_case.client_symmetry import alike, compact, singletons
from fltheory.analysis.worst_case.recording import record
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.registry import Settings, find_member
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.arithmetic.gram import Gram, Tape
from fltheory.engine.simulate import simulate

METHODS = [
    "mifa",
    "mifa-difference",
    "fedavg",
    "fedsgd",
    "fedlaavg",
    "afa-cd",
    "afa-cs",
    "fedprox",
    "scaffold",
    "sequential-sgd",
]
SETTINGS = Settings({"proximal_strength": Fraction(1, 3)})


def build(name: str):
    return find_member(fltheory.algorithms, name).build(SETTINGS)


@st.composite
def traces(draw, num_clients=3):
    rounds = draw(st.integers(1, 3))
    delivers = draw(
        st.lists(
            st.lists(st.booleans(), min_size=num_clients, max_size=num_clients),
            min_size=rounds,
            max_size=rounds,
        )
    )
    delays = [[draw(st.integers(0, t)) for _ in range(num_clients)] for t in range(rounds)]
    return Trace.with_delays(delivers, delays, local_steps=draw(st.integers(1, 2)))


def basis_values(found, problem, start, optimum):
    """What each basis vector is on a given problem, one coordinate: solved record by record, in the
    order of minting."""
    curvatures = [row[0] for row in problem.curvatures]
    optima = [row[0] for row in problem.optima]
    known = {0: start - optimum}

    def value(row):
        return sum((x * known[k] for k, x in enumerate(row) if x), Fraction(0))

    pending = [(c, r) for c, records in enumerate(found.records) for r in records]
    while pending:
        for place, (client, (point, gradient)) in enumerate(pending):
            unknown = [k for k, x in enumerate(gradient) if x and k not in known]
            if all(k in known for k, x in enumerate(point) if x) and len(unknown) <= 1:
                answer = curvatures[client] * (value(point) + optimum - optima[client])
                if unknown:
                    known[unknown[0]] = answer - sum(
                        (x * known[k] for k, x in enumerate(gradient) if x and k in known),
                        Fraction(0),
                    )
                else:
                    assert answer == value(gradient)
                del pending[place]
                break
        else:
            raise AssertionError("no record can be evaluated")
    return value


@pytest.mark.parametrize("name", METHODS)
@given(trace=traces(), numbers=st.lists(st.integers(1, 5), min_size=6, max_size=6))
@settings(max_examples=8)
def test_coefficients_times_vectors_are_the_models(name, trace, numbers) -> None:
    problem = Quadratic(curvatures=numbers[:3], optima=numbers[3:])
    assert problem.constants.optimum is not None
    optimum = problem.constants.optimum[0]
    found = record(
        build(name),
        trace,
        singletons(3),
        local_step_size=Fraction(1, 4),
        server_step_size=Fraction(1, 2),
    )
    value = basis_values(found, problem, Fraction(2), optimum)
    run = simulate(
        build(name),
        problem,
        trace,
        start=2,
        local_step_size=Fraction(1, 4),
        server_step_size=Fraction(1, 2),
    )
    assert [value(row) + optimum for row in found.models] == list(run.models[:, 0])


def test_only_those_who_work_mint_and_equal_points_mint_once() -> None:
    trace = Trace.fresh([[1, 0], [0, 0], [0, 1]], local_steps=2)
    found = record(build("fedavg"), trace, singletons(2), local_step_size=1, common_optimum=True)
    assert [len(records) for records in found.records] == [3, 3]  # the optimum and two steps each
    assert len(found.owners) == 1 + 2 + 2
    again = record(
        build("fedavg"), Trace.with_delays([[1], [1]], [[0], [1]]), singletons(1), local_step_size=1
    )
    assert len(again.records[0]) == 2  # both rounds ask at the first model


def test_classes_share_rows_and_floats_agree_with_fractions() -> None:
    trace = Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0]], local_steps=2)
    found = record(build("scaffold"), trace, alike(trace), local_step_size=Fraction(1, 3))
    floats = record(
        build("scaffold"), trace, alike(trace), local_step_size=Fraction(1, 3), numbers=FLOAT
    )
    assert found.blocks == {0: 1, 1: 2}
    assert found.owners == floats.owners
    assert np.allclose(found.models.astype(float), floats.models)
    deviations = [k for k, owner in enumerate(found.owners) if owner]
    assert not found.models[:, deviations].any()  # deviations cancel in every model


def test_clients_that_do_not_act_alike_are_refused() -> None:
    trace = Trace.fresh([[1, 1], [1, 0]])
    with pytest.raises(InvalidInput, match="act like client 0"):
        record(build("fedavg"), trace, ((0, 1),), local_step_size=1)
    uneven = find_member(fltheory.algorithms, "sync").build(
        Settings({"weights": (Fraction(1), Fraction(1, 2))})
    )
    for rounds in (1, 2):
        with pytest.raises(InvalidInput, match=r"act like client 0|deviations cancel"):
            record(uneven, Trace.fresh(np.ones((rounds, 2), bool)), ((0, 1),), local_step_size=1)
    with pytest.raises(InvalidInput, match="hold every client once"):
        Tape(((0,), (0,)), 3)
    with pytest.raises(InvalidInput, match="importance"):
        record(
            build("fedavg"),
            Trace.fresh([[1, 1]]),
            ((0, 1),),
            local_step_size=1,
            importance=("1/3", "2/3"),
        )


def test_a_full_basis_and_nonlinear_operations_are_refused() -> None:
    tape = Tape(((0,),), 1)
    tape.mint()
    with pytest.raises(InvalidInput, match="at most the 1 vectors"):
        tape.mint()
    for operation in (Gram().sin, Gram().cos, lambda row: Gram().clip(row, row)):
        with pytest.raises(NotExact):
            operation(tape.zero())


def test_compaction_keeps_shares_and_pairs() -> None:
    trace = Trace.fresh(np.ones((1, 9), bool))
    small = compact(trace, (tuple(range(6)), tuple(range(6, 9))))
    assert [len(group) for group in small.members] == [4, 2]
    assert sum(small.shares([Fraction(1, 9)] * 9)) == 1
    alone = compact(trace, (tuple(range(8)), (8,)))
    assert [len(group) for group in alone.members] == [8, 1]
