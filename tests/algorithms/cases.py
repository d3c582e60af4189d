"""Cases that algorithms must handle: noisy quadratics, traces with absences, delays and uneven
work."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fltheory import Quadratic, Trace
from fltheory.core.registry import Settings
from fltheory.engine.noise import Rademacher
from fltheory.engine.simulate import simulate

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
        arguments: dict[str, Any] = {
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
