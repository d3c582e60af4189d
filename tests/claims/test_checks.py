"""Each kind of check decides rightly and can fail."""

import pytest
import sympy

from fltheory import InvalidInput, Quadratic, Trace
from fltheory.claims.checks.bound_on_run import check_on_runs, unmet
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import GROWING, check_order_limit, check_order_sweep
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.checks.vacuity import check_vacuous
from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    LowerBound,
    Order,
    Paper,
    Source,
    UpperBound,
)
from fltheory.claims.evidence import Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.vocabulary import symbol

X, Y = sympy.Symbol("x", positive=True), sympy.Symbol("y", positive=True)
SOURCE = Source(Paper("toy", "A toy", "Nobody", 2026, "here"), "line 1")


def toy(statement, **more) -> Claim:
    return Claim(
        id="toy.claim",
        source=SOURCE,
        says="A claim that is made up for a test.",
        statement=statement,
        where={"x": "a number", "y": "another number"},
        **more,
    )


def tried(claim, values, **more):
    return check_instances(
        claim,
        [Instance(v) for v in values],
        method=Method.ENUMERATION,
        covers="a few numbers",
        **more,
    )


def test_instances_support_prove_and_refute():
    square = toy(Identity(Y, X**2))
    assert tried(square, [{"x": 2, "y": 4}, {"x": 3, "y": 9}]).verdict is Verdict.SUPPORTED
    assert tried(square, [{"x": 2, "y": 4}], complete=True).verdict is Verdict.PROVED
    found = tried(square, [{"x": 2, "y": 4}, {"x": "1/2", "y": "1/3"}])
    assert (found.verdict, found.left, found.right) == (Verdict.REFUTED, "1/3", "1/4")
    assert found.counterexample.values == {"x": "1/2", "y": "1/3"}
    assert tried(square, []).verdict is Verdict.UNDECIDED


def test_bounds_point_the_right_way():
    assert (
        tried(toy(UpperBound(X, Y)), [{"x": 1, "y": 1}, {"x": 1, "y": 2}]).verdict
        is Verdict.SUPPORTED
    )
    assert tried(toy(UpperBound(X, Y)), [{"x": 2, "y": 1}]).verdict is Verdict.REFUTED
    assert tried(toy(LowerBound(X, Y)), [{"x": 2, "y": 1}]).verdict is Verdict.SUPPORTED
    assert tried(toy(LowerBound(X, Y)), [{"x": 1, "y": 2}]).verdict is Verdict.REFUTED


def test_the_tightest_instance_is_shown():
    assert (
        tried(
            toy(UpperBound(X, Y)), [{"x": 1, "y": 4}, {"x": 1, "y": 2}, {"x": 1, "y": 3}]
        ).looseness
        == "1/2"
    )


def test_irrational_sides_are_compared_by_intervals():
    root = toy(UpperBound(X, sympy.sqrt(Y)))
    assert tried(root, [{"x": "141421356/100000000", "y": 2}]).verdict is Verdict.SUPPORTED
    assert tried(root, [{"x": "141421357/100000000", "y": 2}]).verdict is Verdict.REFUTED


def test_floats_never_decide():
    with pytest.raises(ValueError, match="float"):
        tried(toy(UpperBound(X, Y)), [{"x": 0.1, "y": 0.2}])


def test_symbols_without_a_value_are_named():
    with pytest.raises(InvalidInput, match="symbol y must have a value"):
        tried(toy(UpperBound(X, Y)), [{"x": 1}])


def test_symbolic_proof_and_refutation():
    expanded = X**2 + 2 * X + 1
    assert (
        check_symbolic(
            toy(Identity(Y, (X + 1) ** 2)), derived={"y": expanded}, covers="all x"
        ).verdict
        is Verdict.PROVED
    )
    wrong = check_symbolic(
        toy(Identity(Y, (X + 1) ** 2 + X)), derived={"y": expanded}, covers="all x"
    )
    assert wrong.verdict is Verdict.REFUTED
    assert set(wrong.counterexample.values) == {"x", "y"}
    assert (
        check_symbolic(toy(UpperBound(2 * X, Y)), derived={"y": X**2 + 1}, covers="all x").verdict
        is Verdict.PROVED
    )
    assert (
        check_symbolic(toy(UpperBound(3 * X, Y)), derived={"y": X**2 + 1}, covers="all x").verdict
        is Verdict.REFUTED
    )
    assert (
        check_symbolic(toy(LowerBound(Y, X)), derived={"y": X + 1}, covers="all x").verdict
        is Verdict.PROVED
    )


def test_orders_by_limit():
    rate = toy(Order(Y, 1 / X))
    assert (
        check_order_limit(rate, derived={"y": 5 / X + 1 / X**2}, variable=X, covers="x").verdict
        is Verdict.SUPPORTED
    )
    assert (
        check_order_limit(rate, derived={"y": 5 / sympy.sqrt(X)}, variable=X, covers="x").verdict
        is Verdict.REFUTED
    )


def test_orders_by_sweep():
    rate = toy(Order(Y, 1 / X))
    path = [2**k for k in range(12)]
    assert (
        check_order_sweep(
            rate, [Instance({"x": x, "y": sympy.Rational(3, x)}) for x in path], covers="x"
        ).verdict
        is Verdict.SUPPORTED
    )
    growth = check_order_sweep(rate, [Instance({"x": x, "y": 1}) for x in path], covers="x")
    assert (growth.verdict, growth.looseness) == (Verdict.UNDECIDED, GROWING)
    assert "not a refutation" in growth.note
    slow = [Instance({"x": x, "y": sympy.Rational(1 + k, x)}) for k, x in enumerate(path)]
    assert check_order_sweep(rate, slow, covers="x").verdict is Verdict.UNDECIDED
    with pytest.raises(InvalidInput):
        tried(rate, [{"x": 1, "y": 1}])


def test_vacuity_needs_a_contradiction_everywhere():
    bound = toy(UpperBound(X, Y))
    clash = [Instance({"x": 1, "y": 1, "needed": 2})]
    fine = [*clash, Instance({"x": 1, "y": 3, "needed": 2})]
    kinds = {"needs": "needed", "allows": "right", "method": Method.SYMBOLIC, "covers": "numbers"}
    assert check_vacuous(bound, clash, **kinds).verdict is Verdict.VACUOUS
    assert check_vacuous(bound, fine, **kinds).verdict is Verdict.UNDECIDED


def descent(step_size: str, *, rounds: int = 3) -> Scenario:
    return Scenario(
        "fedavg",
        Quadratic((1,), (0,)),
        Trace.fresh([[True]] * rounds),
        start=1,
        local_step_size=step_size,
    )


def test_bounds_are_checked_on_admissible_runs_only():
    gamma, smoothness = symbol("local_step_size"), symbol("smoothness")
    small = Assumption(
        "toy.small",
        "the step size is at most 1/L",
        lambda s: s.local_step_size * s.problem.constants.smoothness <= 1,
    )
    right = 2 * symbol("initial_loss_gap") / (gamma * symbol("num_rounds"))
    claim = toy(UpperBound(symbol("mean_squared_gradient"), right), assumes=(small,))
    assert unmet(claim, descent("3")) == ["toy.small"]
    runs = [descent("1/2"), descent("1"), descent("3")]
    assert check_on_runs(claim, runs, covers="gradient descent").verdict is Verdict.SUPPORTED
    careless = toy(UpperBound(symbol("mean_squared_gradient"), right))
    found = check_on_runs(careless, runs, covers="gradient descent, condition dropped")
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample.scenario["run"]["local_step_size"] == "3"
    assert (
        check_on_runs(claim, [descent("3")], covers="nothing admissible").verdict
        is Verdict.UNDECIDED
    )
    assert smoothness.is_positive


def test_expected_values_equal_enumeration_of_noise():
    problem = Quadratic((1, 2), (0, 1), noise_squared=1)
    trace = Trace.fresh([[1, 1], [1, 0]], local_steps=2)
    scenario = Scenario("mifa", problem, trace, start=1, local_step_size="1/4")
    exact = measure(scenario, ["mean_squared_gradient"])["mean_squared_gradient"]
    assert exact == mean_over_signs(scenario)
    assert (
        exact
        != measure(
            Scenario("mifa", Quadratic((1, 2), (0, 1)), trace, start=1, local_step_size="1/4"),
            ["mean_squared_gradient"],
        )["mean_squared_gradient"]
    )


def mean_over_signs(scenario):
    """The same expectation by brute force over all +-1 noise."""
    from fractions import Fraction
    from itertools import product

    from fltheory.engine.simulate import simulate

    places = [
        (t, i, k)
        for t in range(2)
        for i in range(2)
        for k in range(2)
        if scenario.trace.delivers[t, i]
    ]
    total = Fraction(0)
    for signs in product((-1, 1), repeat=len(places)):
        chosen = dict(zip(places, signs, strict=True))

        def noise(t, k, chosen=chosen):
            return [[chosen.get((t, i, k), 0)] for i in range(2)]

        models = simulate(
            scenario.method,
            scenario.problem,
            scenario.trace,
            start=1,
            local_step_size="1/4",
            noise=noise,
        ).models
        total += sum((Fraction(3, 2) * x - 1) ** 2 for x in models[:-1, 0]) / 2
    return total / 2 ** len(places)


@pytest.mark.parametrize("start", [(), (1, 2)])
def test_a_scenario_starts_with_as_many_numbers_as_there_are_coordinates(start):
    with pytest.raises(InvalidInput, match="start must have one number for each of 1 coordinates"):
        Scenario(
            "fedavg", Quadratic((1,), (0,)), Trace.fresh([[1]]), start=start, local_step_size=1
        )
