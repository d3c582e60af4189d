"""Numbered quantities of a run, as in "model:3"."""

from collections.abc import Callable
from dataclasses import replace

from fltheory.claims.expectations import ExactRun
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Scalar
from fltheory.traces.trace import Trace


def _undivided(run: ExactRun) -> ExactRun:
    """The run in which the server adds up the clients' updates instead of averaging them."""
    s = run.scenario
    return ExactRun(replace(s, server_step_size=s.server_step_size * s.trace.num_clients))


INDEXED: dict[str, Callable[[ExactRun, int], Scalar]] = {
    "model": lambda run, index: run.models[index, 0],
    "undivided": lambda run, index: _undivided(run).models[index, 0],
    "optimum": lambda run, index: run.scenario.problem.optima[index][0],
    "weight": lambda run, index: exact(run.scenario.settings["weights"][index], "weight"),
    "block": lambda run, index: _block(run.scenario.trace, index),
    "distance_of_optima": lambda run, index: abs(
        run.scenario.problem.optima[index][0] - run.scenario.problem.optima[0][0]
    ),
}
"""Numbered quantities, as in "model:3": the first coordinate of the model before round 3, that
model if updates are added up instead of averaged, the optimum of client 3, its weight, the number
of rounds of its first block of deliveries, the distance of its optimum from that of client 0."""


def _block(trace: Trace, index: int) -> int:
    """Rounds from the first delivery of a client until it misses one."""
    column = [*trace.delivers[:, index].tolist(), False]
    first = column.index(True) if True in column else len(column) - 1
    return column.index(False, first) - first


def by_number(run: ExactRun, name: str) -> Scalar:
    """A numbered quantity by its name."""
    kind, _, number = name.partition(":")
    try:
        return INDEXED[kind](run, int(number) if number.isdecimal() else 1 << 62)
    except (KeyError, IndexError, AttributeError, TypeError):
        raise InvalidInput(
            f"symbol {name}",
            "be a parameter of the scenario or a quantity that can be measured",
            "neither",
        ) from None
