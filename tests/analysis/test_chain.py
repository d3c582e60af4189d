"""A worst case as a chain of small blocks: the value of the whole problem, Gram matrices of all
vectors from those of the links, and errors that are found."""

from types import SimpleNamespace

import numpy as np
import pytest

import fltheory.analysis.worst_case.chain_solve as chain_solve
from fltheory import Trace
from fltheory.analysis.worst_case import answer
from fltheory.analysis.worst_case.all_constraints import AllConstraints
from fltheory.analysis.worst_case.build_structure import structure
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.chain import ChainOfBlocks
from fltheory.analysis.worst_case.chain_solve import judged, solve_chain, solved
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.interior import solve_structured
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.status import ACCEPTED, Status
from fltheory.core.types import FloatArray

MUCH = 100.0
CONVEX = Question(FunctionClass(1), Conditions(distance_squared=1))
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
GRADIENTS = Question(
    FunctionClass(1, convex=False), Conditions(loss_gap=1), Metric.MEAN_SQUARED_GRADIENT
)
SMALLEST = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap=1, gradient_bound_squared=1),
    Metric.MIN_SQUARED_GRADIENT,
)
NOISY = Question(
    FunctionClass(1, "1/10"),
    Conditions(distance_squared=1, heterogeneity=1, gradient_noise_squared=1),
)
EVERY_SECOND = [[1, t % 2 == 0] for t in range(12)]
CASES = {
    "descent": Case("fedavg", Trace.fresh(np.ones((12, 1), bool)), CONVEX, 1),
    "long steps": Case("fedavg", Trace.fresh(np.ones((12, 1), bool)), CONVEX, "9/5"),
    "memory": Case("mifa", Trace.fresh(EVERY_SECOND), STRONG, "1/2"),
    "classes": Case("mifa", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0]] * 3), STRONG, "1/2"),
    "local steps": Case(
        "fedavg", Trace.fresh([[1] * 4, [1, 1, 0, 0]], local_steps=3), STRONG, "1/4"
    ),
    "late": Case(
        "async",
        Trace.with_delays([[1, 1]] * 6, [[min(t, 1), 0] for t in range(6)]),
        STRONG,
        "1/4",
        settings={"weights": ("1/2", "1/2")},
    ),
    "gradients": Case("fedavg", Trace.fresh(np.ones((6, 1), bool)), GRADIENTS, "1/2"),
    "smallest gradient": Case(
        "fedlaavg", Trace.fresh([[1, 1], [0, 1], [1, 0]] * 2), SMALLEST, "1/4"
    ),
    "noise": Case("mifa", Trace.fresh(EVERY_SECOND[:4]), NOISY, "1/4"),
}


def constraints(name: str) -> AllConstraints:
    return structure(CASES[name].compact().encode())


def first(everything: AllConstraints) -> ChainOfBlocks:
    return ChainOfBlocks.of(everything.only(np.flatnonzero(everything.first)))


@pytest.mark.parametrize("name", CASES)
def test_the_chain_has_the_value_of_the_whole(name: str) -> None:
    everything = constraints(name)
    found, whole = solve_chain(everything, most=MUCH), solve_structured(everything)
    assert found is not None
    assert whole is not None
    assert max(found.error, found.violation) <= ACCEPTED
    assert found.value == pytest.approx(whole.value, rel=2 * ACCEPTED)


@pytest.mark.parametrize("name", CASES)
def test_links_agree_and_make_up_the_whole(name: str) -> None:
    """Gram matrices that are read off from one of everything are completed to the same inner
    products in every link, and the metric and each constraint is the sum of its parts."""
    chain = first(constraints(name))
    problem, random = chain.problem, np.random.default_rng(0)
    whole = [random.normal(size=(len(c), len(c) + 1)) for c in problem.objective]
    whole = [rows @ rows.T for rows in whole]
    units = chain_solve.Units(
        1.0, [random.random(n) + 0.5 for n in chain.sizes], np.ones(problem.values.shape[1])
    )
    given: list[FloatArray] = []
    for block, links in zip(whole, chain.links, strict=True):
        assert [link.begin for link in links[1:]] == [link.end for link in links[:-1]]
        for link in links:
            old = np.pad(link.state, ((0, 0), (0, len(block) - link.begin)))
            rows = np.concatenate([old, np.eye(len(block))[link.begin : link.end]])
            unit = units.links[len(given)]
            given.append(rows @ block @ rows.T / unit / unit[:, None])
    forms, metric, potentials = chain_solve._forms(chain, units)
    flat = np.concatenate([chain_solve.triangles(gram) for gram in given])
    assert np.allclose(forms.T @ flat, problem.forms(whole))
    assert metric @ flat == pytest.approx(
        sum(np.vdot(c, x) for c, x in zip(problem.objective, whole, strict=True))
    )
    assert np.allclose(potentials.T @ flat, 0, atol=1e-9 * abs(flat).max())
    completed = chain.completed(given, units.links)
    assert np.allclose(problem.forms(completed), problem.forms(whole))
    assert all(np.linalg.eigvalsh(block)[0] > -1e-9 * np.trace(block) for block in completed)


def test_a_long_chain_has_small_links() -> None:
    """The state of gradient descent is a point and a gradient, however many steps there are."""
    for steps in (20, 40):
        case = Case("fedavg", Trace.fresh(np.ones((steps, 1), bool)), CONVEX, 1)
        assert max(first(structure(case.compact().encode())).sizes) == 3


def test_a_wrong_answer_has_an_error() -> None:
    everything = constraints("memory")
    chain, which = first(everything), np.flatnonzero(everything.first)
    right = solved(chain, None)
    assert right is not None
    assert judged(everything, chain, which, right)[0].error <= ACCEPTED
    most = int(np.argmax(right.multipliers))
    other = right.multipliers.copy()
    other[most] *= 1 + 1e-5
    wrong = [
        right._replace(multipliers=other),
        right._replace(multipliers=right.multipliers * (1 - 1e-6)),
        right._replace(values=right.values * (1 + 1e-6)),
        right._replace(grams=[gram * (1 + 1e-6) for gram in right.grams]),
        right._replace(grams=[right.grams[0] - 1e-3 * np.eye(chain.sizes[0]), *right.grams[1:]]),
    ]
    for answered in wrong:
        assert judged(everything, chain, which, answered)[0].error > ACCEPTED


def test_neighbours_are_not_enough_for_long_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = constraints("long steps")
    assert solve_chain(everything, most=MUCH) is not None
    monkeypatch.setattr(chain_solve, "MAX_ROUNDS", 1)
    assert solve_chain(everything, most=MUCH) is None


def test_another_status_than_solved_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    everything, solver = constraints("descent"), chain_solve.minimise

    def stopped(*given: object, **settings: object) -> SimpleNamespace:
        found = solver(*given, **settings)  # type: ignore[arg-type]
        return SimpleNamespace(x=found.x, z=found.z, status="InsufficientProgress")

    monkeypatch.setattr(chain_solve, "minimise", stopped)
    assert solve_chain(everything, most=MUCH) is None
    monkeypatch.setattr(answer, "WORTH_A_CHAIN", 0.0)
    assert answer.worst_case(CASES["descent"]).value == pytest.approx(1 / 50, rel=1e-7)


def test_the_chain_goes_first_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "solve_structured", lambda problem, time: None)
    monkeypatch.setattr(answer, "MAX_CLARABEL_BLOCK", 1)
    long = Case("fedavg", Trace.fresh(np.ones((45, 1), bool)), CONVEX, 1)
    assert answer.worst_case(long).value == pytest.approx(1 / 182, rel=1e-7)
    assert solve_chain(structure(long.encode()), most=0.0) is None
    proved = answer.worst_case(long, certified=True)  # proofs come from the points of our method
    assert (proved.status, proved.value) == (Status.INACCURATE, None)
