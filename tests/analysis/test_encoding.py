"""The encoding of a worst case: exact quadratic clients satisfy every constraint, in fractions, and
have the metric that a run has."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory import Quadratic, Trace, simulate_virtual
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.core.registry import Settings, find_member
from fltheory.engine.simulate import simulate


@dataclass(frozen=True)
class Instance:
    """Values of basis vectors: `means` for block 0, `deviations[i]` for client i; `values[c][r]`
    are class means of the losses."""

    means: Any
    deviations: Any
    values: list[list[Fraction]]


def place(encoding, members, problem: Quadratic, start) -> Instance:
    """Basis vectors one after the other, each from the first record whose gradient needs only
    it."""
    recording = encoding.recording
    curvatures, optima = (
        np.array(problem.curvatures, dtype=object),
        np.array(problem.optima, dtype=object),
    )
    origin = (
        np.array(problem.constants.optimum, dtype=object)
        if recording.has_optimum
        else np.array(start, dtype=object)
    )
    size, owners = len(recording.owners), np.array(recording.owners)
    means = np.full((size, curvatures.shape[1]), Fraction(0))
    deviations = np.full((problem.num_clients, *means.shape), Fraction(0))
    known = np.zeros(size, bool)
    if recording.has_optimum:
        means[0], known[0] = np.array(start, dtype=object) - origin, True
    pending = [(c, r) for c, records in enumerate(recording.records) for r in range(len(records))]
    losses: dict[Any, Any] = {}
    while pending:
        c, r = next(
            (c, r)
            for c, r in pending
            if known[recording.records[c][r].point.astype(bool)].all()
            and (~known & recording.records[c][r].gradient.astype(bool) & (owners == 0)).sum() <= 1
        )
        pending.remove((c, r))
        point, gradient = recording.records[c][r]
        group = list(members[c])
        places = point @ means + point @ deviations[group]
        actual = curvatures[group] * (places + origin - optima[group])
        shifted = (curvatures[group] * (places + origin - optima[group]) ** 2).sum(axis=1) / 2
        losses[c, r] = sum(shifted) / len(group)
        average = actual.sum(axis=0) / len(group)
        for k in np.nonzero(gradient)[0]:
            if not known[k]:
                known[k] = True
                if owners[k] == 0:
                    means[k] = (average - (gradient @ means - gradient[k] * means[k])) / gradient[k]
                else:
                    deviations[group, k] = actual - average
        assert (gradient @ means == average).all()
    return Instance(means, deviations, _values(encoding, losses, problem))


def _values(encoding, losses, problem) -> list[list[Fraction]]:
    recording = encoding.recording
    counts = [len(records) for records in recording.records]
    base = [losses[c, 0] for c in range(len(counts))]
    if not recording.has_optimum:
        below = (
            sum(share * b for share, b in zip(recording.shares[1:], base[1:], strict=True))
            - problem.constants.infimum
        )
        base[0] = -below / recording.shares[0]
    return [[losses[c, r] - base[c] for r in range(count)] for c, count in enumerate(counts)]


def total(encoding, members, found: Instance, terms, values, smallest=Fraction(0)) -> Fraction:
    """The left side of a constraint (or the metric) on an instance."""
    result = sum(
        (
            x * (smallest if name == () else found.values[name[0]][name[1]])
            for name, x in values.items()
        ),
        Fraction(0),
    )
    for term in terms:
        columns = [k for k, owner in enumerate(encoding.recording.owners) if owner == term.block]
        rows = encoding.vectors(term.block)[list(term.places)]
        if term.block == 0:
            vectors = rows @ found.means[columns]
            result += (term.matrix * (vectors @ vectors.T)).sum()
        else:
            which = next(c for c, block in encoding.recording.blocks.items() if block == term.block)
            for i in members[which]:
                vectors = rows @ found.deviations[i][columns]
                result += (term.matrix * (vectors @ vectors.T)).sum() / len(members[which])
    return result


def vectors(low, high):
    return st.lists(st.integers(low, high), min_size=2, max_size=2)


@st.composite
def instances(draw):
    """A case and an exact quadratic problem of its class; convex or not, by classes or not."""
    convex, by_class = draw(st.booleans()), draw(st.booleans())
    clients = draw(st.integers(1, 4))
    rounds = draw(st.integers(1, 2))
    delivers = draw(
        st.lists(
            st.lists(st.booleans(), min_size=clients, max_size=clients),
            min_size=rounds,
            max_size=rounds,
        )
    )
    low, high = (1, 4) if convex else (-4, 4)
    curvatures = draw(st.lists(vectors(low, high), min_size=clients, max_size=clients))
    for j in range(2):
        if sum(row[j] for row in curvatures) <= 0:  # the global loss must have a minimum
            for row in curvatures:
                row[j] = abs(row[j]) or 1
    optima = draw(st.lists(vectors(-3, 3), min_size=clients, max_size=clients))
    metric = draw(
        st.sampled_from(
            list(Metric) if convex else [Metric.MEAN_SQUARED_GRADIENT, Metric.MIN_SQUARED_GRADIENT]
        )
    )
    algorithm = draw(st.sampled_from(["fedavg", "mifa", "scaffold", "afa-cd"]))
    trace = Trace.fresh(delivers, local_steps=draw(st.integers(1, 2)))
    return algorithm, trace, Quadratic(curvatures, optima), convex, by_class, metric


@pytest.mark.slow
@given(instances())
@settings(max_examples=60)
def test_exact_instances_satisfy_every_constraint(drawn) -> None:
    algorithm, trace, problem, convex, by_class, metric = drawn
    start, size = (Fraction(1), Fraction(-2)), Fraction(1, 8)
    loose = (
        Conditions(
            distance_squared=100, heterogeneity=1000, loss_gap=1000, gradient_bound_squared=10**6
        )
        if convex
        else Conditions(loss_gap=10**6, gradient_bound_squared=10**6)
    )
    functions = (
        FunctionClass(Fraction(9, 2), Fraction(1, 2)) if convex else FunctionClass(4, convex=False)
    )
    case = Case(algorithm, trace, Question(functions, loose, metric), size, by_class=by_class)
    encoding, members = case.encode(), case.members()
    found = place(encoding, members, problem, start)
    run = simulate(find(algorithm), problem, trace, start=list(start), local_step_size=size)
    squares = [squared_gradient(problem, x) for x in run.models]
    smallest = min(squares[:-1])
    for constraint in encoding.constraints():
        assert (
            total(encoding, members, found, constraint.terms, constraint.values, smallest)
            <= constraint.bound
        ), constraint.kind
    value = total(encoding, members, found, *encoding.objective(), smallest)
    if metric is Metric.MEAN_SQUARED_GRADIENT:
        assert value == sum(squares[:-1]) / trace.num_rounds
    elif metric is Metric.MIN_SQUARED_GRADIENT:
        assert value == smallest
    else:
        assert value == loss(problem, run.models[-1]) - problem.constants.infimum


def squared_gradient(problem, x):
    curvatures, optima = (
        np.array(problem.curvatures, dtype=object),
        np.array(problem.optima, dtype=object),
    )
    return ((curvatures * (x - optima)).sum(axis=0) ** 2).sum() / Fraction(problem.num_clients) ** 2


def find(name):
    return find_member(fltheory.algorithms, name).build(Settings({}))


def loss(problem, x):
    return (
        sum(
            h / 2 * (x[j] - c) ** 2
            for hs, cs in zip(problem.curvatures, problem.optima, strict=True)
            for j, (h, c) in enumerate(zip(hs, cs, strict=True))
        )
        / problem.num_clients
    )


def test_a_function_outside_the_class_violates_a_constraint() -> None:
    case = Case(
        "fedavg",
        Trace.fresh([[1], [1]]),
        Question(FunctionClass(1), Conditions(distance_squared=100)),
        "1/8",
    )
    encoding = case.encode()
    steep = place(
        encoding, case.members(), Quadratic([[3, 3]], [[0, 0]]), (Fraction(1), Fraction(2))
    )
    assert any(
        total(encoding, ((0,),), steep, c.terms, c.values) > c.bound for c in encoding.constraints()
    )


def apart(problem, x) -> list[Fraction]:
    """|grad f_i - grad f|^2 of every client."""
    curvatures, optima = (
        np.array(problem.curvatures, dtype=object),
        np.array(problem.optima, dtype=object),
    )
    gradients = curvatures * (x - optima)
    return list(
        ((gradients - gradients.sum(axis=0) / Fraction(problem.num_clients)) ** 2).sum(axis=1)
    )


@pytest.mark.slow
@given(instances())
@settings(max_examples=20)
def test_dissimilarity_and_virtual_models_are_those_of_the_run(drawn) -> None:
    algorithm, trace, problem, convex, by_class, metric = drawn
    start, size = (Fraction(1), Fraction(-2)), Fraction(1, 8)
    cut = simulate_virtual(find(algorithm), problem, trace, start=list(start), local_step_size=size)
    steps = max(cut.shape[1] - 1, 1)
    models = [*cut[:, :steps].reshape(-1, 2), cut[-1, -1]]
    points = [models[-1]] if metric in (Metric.LOSS, Metric.MEAN_LOSS) else models[:-1]
    visited = [*points, *models[:-1:steps], models[0]]
    each, mean = (
        max(max(apart(problem, x)) for x in visited),
        max(sum(apart(problem, x)) / problem.num_clients for x in visited),
    )
    functions = (
        FunctionClass(Fraction(9, 2), Fraction(1, 2)) if convex else FunctionClass(4, convex=False)
    )

    def measured(factor):
        known = Conditions(
            loss_gap=10**6,
            dissimilarity_squared=each * factor,
            mean_dissimilarity_squared=mean * factor,
        )
        case = Case(
            algorithm,
            trace,
            Question(functions, known, metric, virtual=True),
            size,
            by_class=by_class,
        )
        encoding, members = case.encode(), case.members()
        found = place(encoding, members, problem, start)
        smallest = min(squared_gradient(problem, x) for x in models[:-1])
        value = total(encoding, members, found, *encoding.objective(), smallest)
        broken = {
            c.kind
            for c in encoding.constraints()
            if total(encoding, members, found, c.terms, c.values, smallest) > c.bound
        }
        return value, smallest, broken

    value, smallest, broken = measured(Fraction(1))
    assert broken == set()
    if metric is Metric.MEAN_SQUARED_GRADIENT:
        assert value == sum(squared_gradient(problem, x) for x in models[:-1]) / (len(models) - 1)
    elif metric is Metric.MIN_SQUARED_GRADIENT:
        assert value == smallest
    else:
        assert value == loss(problem, models[-1]) - problem.constants.infimum
    if mean:
        assert "mean_dissimilarity" in measured(Fraction(99, 100))[2]
        assert by_class or "dissimilarity" in measured(Fraction(99, 100))[2]
