"""The distance to the optimum when every update may be late, in any order: at most `bound` rounds.

For methods with memory the generic element is a client, whose update of any age is used in every
round. For methods that average the arrivals of a round it is one arrival, with the deviation b of
its client's gradient from that of the mean loss and the mean noise w of the round.
"""

from fractions import Fraction

import numpy as np

from fltheory.analysis.potentials.arrivals import arrival
from fltheory.analysis.potentials.generic_client import (
    ARRIVALS,
    CLIENTS,
    DoesNotFit,
    averages_over,
    walk,
)
from fltheory.analysis.potentials.language import Delays
from fltheory.analysis.potentials.memory import STAR
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
"""The only state, where nothing is known of what is added next."""

APART = 2
"""Up to this delay a client's state in the rich potential is the age of what it adds next."""


def late_model(question: ForeverQuestion, language: Delays, *, rich: bool = False) -> Model:
    """V in the last models x_t, ..., x_{t-bound}, counted from x*, and with `rich` also in the
    gradients there: of the client's own tilted loss for methods with memory, else of the mean loss.
    """
    if question.local_steps > 1:
        raise DoesNotFit("late updates are for one local step")
    averaged, bound, eta = averages_arrivals(question), language.bound, question.step
    rounds = range(bound + 1)
    xs = ("x", *(f"x{j}" for j in rounds if j))
    gs = tuple(f"g{j}" for j in rounds)
    ahead = ("gn",) if rich else ()
    names = (*xs, *(gs if rich else ()))
    pairs = tuple(Pair(a, b) for i, a in enumerate(names) for b in names[i:])
    old = {name: unit(name) for name in names}
    new = {"x": unit("n"), "g0": unit("gn")}
    new |= {xs[j]: unit(xs[j - 1]) for j in rounds if j}
    new |= {gs[j]: unit(gs[j - 1]) for j in rounds if j}
    records = tuple(Request(f"f{j}", unit(xs[j]), unit(gs[j])) for j in rounds)
    later = tuple(Request("fn", unit("n"), unit(name)) for name in ahead)
    extra = ("w", "b") if averaged else ()

    def moved(delay: int) -> Row:
        added = arrival(question, delay) if averaged else _remembered(question, delay, bound)
        return combine((1, unit("n")), (-1, unit("x")), (eta, added))

    apart = rich and not averaged and bound <= APART
    states = tuple(str(d) for d in rounds) if apart else (ALL,)
    edges = tuple(
        Edge(
            f"delay {d}, then {after}" if apart else f"delay {d}",
            ("n", *ahead, *extra, *xs, *gs),
            At(str(d) if apart else ALL, old),
            ((Fraction(1), At(after, {name: new[name] for name in names})),),
            ((*later, *records, STAR),),
            {"update": step},
        )
        for d, step in enumerate(map(moved, rounds))
        for after in states
    )
    begin = {name: unit("x" if name in xs else "g0") for name in names}
    start = (("x", "x", "constant"),)
    least = (("x", "x", ONE),)
    own = ("x", "g0") if rich else ("x",)
    known = (records[0], STAR) if rich else ()
    bounds = (
        BoundOfPotential("start", own, At(states[0], begin), start, {}, (known,), sign=-1),
        *(
            BoundOfPotential(state, (*xs, *gs), At(state, old), least, {}, ((*records, STAR),))
            for state in states
        ),
    )
    return Model(
        dict.fromkeys(states, ClientState(pairs)),
        edges,
        bounds,
        ("n", *xs, *((*ahead, "w", *gs) if averaged else ())),
        ONE,
        constant(question.lowest),
        {},
        ONE,
        budgets=dict.fromkeys(extra),
        uncorrelated=tuple(("w", past) for past in (*xs, *gs, "b") if averaged),
    )


def has_arrivals(question: ForeverQuestion) -> bool:
    """Whether late deliveries are averaged round by round, with noise and dissimilarity."""
    return isinstance(question.language, Delays) and averages_arrivals(question)


def averages_arrivals(question: ForeverQuestion) -> bool:
    """Whether the server averages what arrives in a round; if not, it remembers every client's
    latest update. Other methods are refused."""
    delivers = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]])
    here = np.arange(4)[:, None] * np.ones((1, 3), int)
    started = np.where(delivers == 1, here - here % 2, here)
    found = averages_over(question.algorithm, Trace(delivers, started, delivers))
    if found not in (ARRIVALS, CLIENTS):
        raise DoesNotFit(
            f"the server of {question.method} averages neither the deliveries of a round nor the"
            " latest updates of all clients"
        )
    return found == ARRIVALS


def _remembered(question: ForeverQuestion, delay: int, bound: int) -> Row:
    """What a client adds per unit of the step size while its latest update was computed `delay`
    rounds ago, from the method's own code: in the round of its arrival and in silent ones after."""
    rows = set()
    for late in range(delay + 1):
        rounds = [[0]] * late + [[1]] + [[0]] * (delay - late)
        started = [[0 if t == late else t] for t in range(delay + 1)]
        models = tuple(f"m{t}" for t in range(delay + 1))
        found = walk(question.algorithm, Trace(rounds, started, rounds), models, question.step)
        own = combine((-1 / question.step, found.increments[-1]))
        if dict(found.points[0]) != dict(unit("m0")) or set(own) != {found.asked[0]}:
            raise DoesNotFit("a late update is more than a gradient at the model it started from")
        rows.add(own[found.asked[0]][()])
    if len(rows) > 1:
        raise DoesNotFit("what a client adds depends on when its update arrived")
    return combine((rows.pop(), unit(f"g{delay}")))
