"""FedAvg when two groups of clients deliver by turns: one potential for each place of the pattern.

With one local step a group is its mean loss, which belongs to the same class of functions; so the
numbers of clients drop out. The groups are of equal size, so that their slopes at x* are b
and -b.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from fltheory.analysis.potentials.generic_client import ARRIVALS, DoesNotFit, averages_over, walk
from fltheory.analysis.potentials.language import Turns
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
NAMES = ("x", "b", "u", "w")


def turns_model(question: ForeverQuestion, language: Turns) -> Model:
    """V_place in x, b, the gradient u that is used next and the gradient w that was used last (both
    tilted, so that they vanish at x*) and multiples of their function values; before the first
    round of the pattern, V >= |x - x*|^2 - slack |b|^2.

    The model p at which w was taken is x minus the increment that w made. In the first round there
    is no w yet: it has a state of its own.
    """
    if question.local_steps > 1:
        raise DoesNotFit("turns of groups are for one local step")
    _refuse_other_servers(question)
    word = language.groups
    size, move = len(word), _increment(question)
    pairs = tuple(Pair(a, b) for i, a in enumerate(NAMES) for b in NAMES[i:])
    states = {str(place): ClientState(pairs, {"u": None, "w": None}) for place in range(size)}
    few = tuple(pair for pair in pairs if "w" not in (pair.left, pair.right))
    states["start"] = ClientState(few, {"u": None})

    def at(place: int, model: Row, gradient: str, last: str) -> At:
        values = {"u": f"f{gradient}", "w": f"f{last}"}
        vectors = {"x": model, "b": unit("b"), "u": unit(gradient), "w": unit(last)}
        return At(str(place % size), vectors, values)

    def requests(place: int, *, ahead: bool, behind: bool) -> tuple[tuple[Request, ...], ...]:
        """Of each group: its optimum, and its gradients at the last, this and the next model."""
        found = {"A": [STAR], "B": [STAR]}
        here = unit("x")
        if behind:
            past = combine((1, here), (-1, move(word[place - 1], "w")))
            found[word[place - 1]].append(Request("fw", past, unit("w")))
        found[word[place]].append(Request("fu", here, unit("u")))
        if ahead:
            later = combine((1, here), (1, move(word[place], "u")))
            found[word[(place + 1) % size]].append(Request("fn", later, unit("n")))
        return tuple(tuple(listed) for listed in found.values())

    edges = []
    for place in range(size):
        moved = combine((1, unit("x")), (1, move(word[place], "u")))
        after = ((Fraction(1), at(place + 1, moved, "n", "u")),)
        for first in (True, False) if not place else (False,):
            before = at(place, unit("x"), "u", "w")
            edges.append(
                Edge(
                    "start" if first else f"place {place}",
                    ("x", "b", "u", "w", "n"),
                    At("start", before.vectors, before.values) if first else before,
                    after,
                    requests(place, ahead=True, behind=not first),
                    {},
                )
            )
    here = at(0, unit("x"), "u", "w")
    begin = At("start", here.vectors, here.values)
    start = (("x", "x", "constant"), ("b", "b", "constant"))
    bounds = [
        BoundOfPotential(
            "start",
            ("x", "b", "u"),
            begin,
            start,
            {},
            requests(0, ahead=False, behind=False),
            sign=-1,
        ),
        BoundOfPotential(
            "0",
            ("x", "b", "u", "w"),
            here,
            (("x", "x", ONE), ("b", "b", "slack")),
            {},
            requests(0, ahead=False, behind=True),
        ),
    ]
    return Model(
        states,
        tuple(edges),
        tuple(bounds),
        (),
        ONE,
        constant(question.lowest),
        {},
        ONE,
    )


def _increment(question: ForeverQuestion) -> Callable[[str, str], Row]:
    """How a group moves the model by a gradient of a name, from the method's own code; the groups'
    slopes are b and -b."""
    found = walk(question.algorithm, Trace.fresh([[1]]), ("x",), question.step, slope="b")
    if dict(found.points[0]) != dict(unit("x")):
        raise DoesNotFit("a group does not start at the newest model")
    (name,) = found.asked
    row = dict(found.increments[0])
    tilt = {"b": row.pop("b")} if "b" in row else {}

    def moved(group: str, gradient: str) -> Row:
        own = {gradient if key == name else key: value for key, value in row.items()}
        return combine((1, own), (1 if group == "A" else -1, tilt))

    return moved


def _refuse_other_servers(question: ForeverQuestion) -> None:
    trace = Trace.fresh(np.array([[1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1]]))
    if averages_over(question.algorithm, trace) != ARRIVALS:
        raise DoesNotFit(
            f"the server of {question.method} does not average the deliveries of a round with equal"
            " weights"
        )
