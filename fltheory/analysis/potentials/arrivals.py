"""Methods whose server averages what arrives: the generic element is one arrival, with its delay
and the deviation of its client's gradient from the mean gradient."""

from fractions import Fraction

import numpy as np

from fltheory.analysis.potentials.generic_client import ARRIVALS, DoesNotFit, averages_over, walk
from fltheory.analysis.potentials.language import Delays
from fltheory.analysis.potentials.model import (
    At,
    BoundOfPotential,
    ClientState,
    Edge,
    Model,
    Pair,
    Request,
)
from fltheory.analysis.potentials.polynomials import Row, combine, constant, unit
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.traces.trace import Trace

ONE = constant(1)
ALL = "all"
"""The only state: nothing is remembered of a client."""


def arrivals_model(question: ForeverQuestion, language: Delays, gain: Fraction | None) -> Model:
    """V = f(x_t) + a form in the last differences x_{t-j+1} - x_{t-j}; every round gains a multiple
    of |grad f(x_t)|^2 and pays for the noise w and the deviation b of an arrival.

    The newest model x_t is the origin. An arrival of delay d adds -eta (grad f(x_{t-d}) + b + w),
    where w is the mean noise of the round: new, so uncorrelated with everything before.
    """
    if question.local_steps > 1:
        raise DoesNotFit("arrivals are for one local step")
    _refuse_other_servers(question, language.bound)
    bound, eta = language.bound, question.step
    xs = tuple(f"x{j}" for j in range(1, bound + 1))
    gs = tuple(f"g{j}" for j in range(bound + 1))
    names = tuple(f"d{j}" for j in range(1, bound + 1))
    pairs = tuple(Pair(a, b) for i, a in enumerate(names) for b in names[i:])

    def point(j: int) -> Row:
        if j < 0:
            return unit("n")
        return unit(f"x{j}") if j else {}

    def at(shift: int, value: str) -> At:
        vectors = {
            f"d{j}": combine((1, point(j - 1 - shift)), (-1, point(j - shift)))
            for j in range(1, bound + 1)
        }
        return At(ALL, vectors, {"f": value})

    records = tuple(Request(f"f{j}", point(j), unit(f"g{j}")) for j in range(bound + 1))
    ahead = Request("fn", unit("n"), unit("gn"))
    edges = tuple(
        Edge(
            f"delay {d}",
            ("n", "gn", "w", "b", *xs, *gs),
            at(0, "f0"),
            ((Fraction(1), at(1, "fn")),),
            ((ahead, *records),),
            {"update": combine((1, unit("n")), (eta, arrival(question, d)))},
        )
        for d in range(bound + 1)
    )
    floor = BoundOfPotential(
        ALL,
        (*xs, *gs),
        at(0, "f0"),
        (("g0", "g0", constant(Fraction(-1, 2))),),
        {"f0": ONE},
        (records,),
    )
    return Model(
        {ALL: ClientState(pairs, {"f": ONE})},
        edges,
        (floor,),
        ("n", "gn", "w", *xs, *gs),
        ONE,
        constant(question.lowest),
        ONE,
        {},
        budgets={"w": None, "b": None},
        gains={"g0": None if gain is None else constant(gain)},
        uncorrelated=tuple(("w", past) for past in (*xs, *gs, "b")),
    )


def arrival(question: ForeverQuestion, delay: int) -> Row:
    """What an arrival subtracts per unit of the step size, from the method's own code."""
    rounds = [[0]] * delay + [[1]]
    started = [[t] for t in range(delay)] + [[0]]
    trace = Trace(rounds, started, rounds)
    models = tuple(f"m{delay - t}" for t in range(delay + 1))
    found = walk(question.algorithm, trace, models, question.step)
    if any(found.increments[:-1]) or dict(found.points[0]) != dict(unit(f"m{delay}")):
        raise DoesNotFit("an arrival does not start at the model that it received")
    row = combine((-1 / question.step, found.increments[-1]))
    if set(row) != {found.asked[0]}:
        raise DoesNotFit("an arrival moves the model by more than its gradient")
    share = row[found.asked[0]]
    return combine(*((share, unit(name)) for name in (f"g{delay}", "b", "w")))


def _refuse_other_servers(question: ForeverQuestion, bound: int) -> None:
    delivers = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 0]])
    here = np.arange(4)[:, None] * np.ones((1, 3), int)
    started = np.where(delivers == 1, np.maximum(here - min(bound, 1) * (here % 2), 0), here)
    trace = Trace(delivers, started, delivers)
    if averages_over(question.algorithm, trace) != ARRIVALS:
        raise DoesNotFit(
            f"the server of {question.method} does not average the deliveries of a round with equal"
            " weights"
        )
