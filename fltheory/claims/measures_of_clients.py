"""Quantities of single clients, and their sums, means, maxima and minima over all clients."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import sympy

from fltheory.claims.expectations import ExactRun
from fltheory.claims.forever import lengthened
from fltheory.claims.measures_of_losses import client_minima, curvatures, slopes_at, unknown
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput
from fltheory.core.formulas import read_formula
from fltheory.core.types import Scalar
from fltheory.core.vocabulary import CLIENT_WORDS
from fltheory.traces import trace_statistics

OfClients = Callable[[ExactRun], Sequence[Scalar]]
"""A quantity of every client."""

AGGREGATES: Mapping[str, str] = {
    "sum_over_clients": "sum",
    "mean_over_clients": "mean",
    "max_over_clients": "largest value",
    "min_over_clients": "least value",
}
"""Functions that turn a formula in quantities of clients into a quantity of the run."""

NAMED = re.compile(rf"({'|'.join(AGGREGATES)})\((.*)\)")


def _steps(run: ExactRun, pick: Callable[[list[int]], int]) -> list[Scalar]:
    table = run.scenario.trace.local_steps
    return [pick([int(k) for k in column if k] or [0]) for column in table.T]


def _at_optimum(run: ExactRun) -> list[Scalar]:
    optimum = run.scenario.problem.constants.optimum
    if optimum is None:
        raise unknown("optimum")
    return [sum(g * g for g in row) for row in slopes_at(run.scenario.problem, optimum)]


def _gap_at_optimum(run: ExactRun) -> list[Scalar]:
    problem = run.scenario.problem
    if problem.constants.optimum is None:
        raise unknown("optimum")
    rows = run.arithmetic.rows([list(problem.constants.optimum)] * problem.num_clients)
    losses = problem.losses(run.arithmetic)(rows)[:, 0]
    return [a - b for a, b in zip(losses, client_minima(problem), strict=True)]


def chances(run: ExactRun) -> list[Fraction]:
    """The chance of every client to deliver in a round: of a law, or its share of the rounds."""
    law, trace = run.scenario.participation, run.scenario.trace
    if law is not None:
        return list(law.chances(trace.num_clients))
    return list(trace_statistics.participation(trace))


def _settled(run: ExactRun) -> list[Scalar]:
    if run.scenario.participation is not None:
        raise InvalidInput("staleness", "not be random for this claim", "random participation")
    trace = lengthened(run.scenario.trace) if run.forever else run.scenario.trace
    return [int(x) for x in trace_statistics.client_max_staleness(trace)]


OF_CLIENTS: dict[str, OfClients] = {
    "client_smoothness": lambda run: [
        max(abs(low), abs(high)) for low, high in curvatures(run.scenario.problem)
    ],
    "client_curvature": lambda run: [low for low, _ in curvatures(run.scenario.problem)],
    "client_importance": lambda run: list(run.scenario.problem.importance),
    "client_local_steps": lambda run: _steps(run, max),
    "client_least_local_steps": lambda run: _steps(run, min),
    "client_availability": chances,
    "client_deliveries": lambda run: [int(n) for n in run.scenario.trace.delivers.sum(axis=0)],
    "client_max_staleness": _settled,
    "client_max_delay": lambda run: [int(n) for n in run.scenario.trace.delays.max(axis=0)],
    "client_squared_gradient_at_optimum": _at_optimum,
    "client_loss_gap_at_optimum": _gap_at_optimum,
    "client_initial_squared_gradient": lambda run: [
        sum(g * g for g in row) for row in slopes_at(run.scenario.problem, run.scenario.start)
    ],
}
"""Quantities of every client, by name."""


def symbols_of_clients() -> dict[str, sympy.Symbol]:
    """The symbols that a formula over clients may use besides quantities of the run."""
    return {
        word.name: sympy.Symbol(word.name, **dict(word.kind.value))
        for word in CLIENT_WORDS
        if word.name in OF_CLIENTS
    }


@cache
def parsed(name: str) -> tuple[str, sympy.Expr] | None:
    """The function and the formula of a name such as `max_over_clients(client_smoothness^2)`."""
    match = NAMED.fullmatch(name)
    if match is None:
        return None
    return match.group(1), read_formula(match.group(2), symbols_of_clients(), name[:60])


def over_clients(run: ExactRun, name: str) -> Scalar | None:
    """The value of a formula over all clients; None if the name is not one.

    >>> parsed("mean_over_clients(client_smoothness^2)")[1]
    client_smoothness**2
    """
    found = parsed(name)
    if found is None:
        return None
    function, formula = found
    columns = {s: OF_CLIENTS[s.name](run) for s in formula.free_symbols}
    clients = range(run.scenario.trace.num_clients)
    values = [
        formula.xreplace({s: as_expression(column[i]) for s, column in columns.items()}).doit()
        for i in clients
    ]
    if function == "sum_over_clients":
        return _plain(sympy.Add(*values))
    if function == "mean_over_clients":
        return _plain(sympy.Add(*values) / len(values))
    return _plain((sympy.Max if function == "max_over_clients" else sympy.Min)(*values))


def _plain(value: sympy.Expr) -> Scalar:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return value


def least_probability(run: ExactRun) -> Scalar:
    """The smallest chance of a client to deliver in a round."""
    return min(chances(run))


def sizes_of_rounds(run: ExactRun) -> list[int]:
    """The number of clients that deliver in each round, if it is not random."""
    law, trace = run.scenario.participation, run.scenario.trace
    if law is None:
        return [int(n) for n in trace.delivers.sum(axis=-1)]
    if law.kind in ("uniform", "cyclic"):
        return [law.clients_per_round] * trace.num_rounds
    raise InvalidInput("clients per round", "not be random for this claim", law.kind)


def first_round(run: ExactRun) -> int:
    """The number of clients that deliver in the first round."""
    if run.scenario.participation is not None:
        return sizes_of_rounds(run)[0]
    return int(np.count_nonzero(run.scenario.trace.delivers[0]))
