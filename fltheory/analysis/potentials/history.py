"""Methods with memory under windows and patterns with short silences: a potential that also knows
the last models, the client's gradients there, and the mean gradients, which all clients share.

Every client is asked everywhere, also in silent rounds: the method does not need these gradients,
but they exist, and the true inequalities between them hold.
"""

from fractions import Fraction

from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.language import Periodic, Windows
from fltheory.analysis.potentials.memory import STAR, contribution
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

DEPTH = 2
"""Rounds that the potential looks back: the longest silence for which it is used."""

MOST_MOVES = 12
"""Moves of a client up to which it is used: its matrices have fifteen rows."""

ONE = constant(1)
XS, GS, MEANS = ("x", "x1", "x2"), ("g0", "g1", "g2"), ("v0", "v1", "v2")
"""The last models, newest first; the client's gradients there; and the means of the gradients."""


def looks_back(question: ForeverQuestion) -> bool:
    """Whether the rich potential of a question is this one."""
    language = question.language
    return (
        isinstance(language, Windows | Periodic)
        and language.longest <= DEPTH
        and len(language.moves()) <= MOST_MOVES
    )


def history_model(question: ForeverQuestion, language: Windows | Periodic) -> Model:
    """V_state >= |x - x*|^2 in XS, GS and MEANS; n, gn and vn are those of the next round.

    Before round 0 the model is thought to have stood still.
    """
    found = contribution(question, language.longest, slope=None)
    if question.local_steps > 1 or set(found.update) != {found.asked[0]}:
        raise DoesNotFit("the rich potential is for one local step")
    share = question.step * found.update[found.asked[0]][()]
    names = (*XS, *GS, *MEANS)
    pairs = tuple(Pair(a, b) for i, a in enumerate(names) for b in names[i:])
    now, later, begin = {}, {}, {}
    for newest, listed in (("n", XS), ("gn", GS), ("vn", MEANS)):
        for name, before in zip(listed, (newest, *listed), strict=False):
            now[name], later[name], begin[name] = unit(name), unit(before), unit(listed[0])
    known = tuple(Request(f"f{x}", unit(x), unit(g)) for x, g in zip(XS, GS, strict=True))
    ahead = Request("fn", unit("n"), unit("gn"))
    means = {f"mean {v}": _difference(v, g) for v, g in zip(MEANS, GS, strict=True)}
    ages = ages_of(language)
    edges, bounds = [], []
    for move in language.moves():
        step = combine((1, _difference("n", "x")), (share, unit(GS[ages[move.before]])))
        mark = f" in phase {move.phase}" if move.phase else ""
        relations = {"update": step, **means, "mean vn": _difference("vn", "gn")}
        ((_, after, _),) = move.after
        edges.append(
            Edge(
                f"{move.before} -> {after}",
                ("n", "gn", "vn", *names),
                At(move.before, now),
                ((Fraction(1), At(after, later)),),
                ((ahead, *known, STAR),),
                {f"{k}{mark}": row for k, row in relations.items()},
            )
        )
    first = next(iter(ages))
    start = (("x", "x", "constant"),)
    requests = ((known[0], STAR),)
    bounds.append(
        BoundOfPotential("start", ("x", "g0", "v0"), At(first, begin), start, {}, requests, sign=-1)
    )
    for state in ages:
        least = (("x", "x", ONE),)
        bounds.append(
            BoundOfPotential(state, names, At(state, now), least, {}, ((*known, STAR),), means)
        )
    return Model(
        dict.fromkeys(ages, ClientState(pairs)),
        tuple(edges),
        tuple(bounds),
        ("n", "vn", *XS, *MEANS),
        ONE,
        constant(question.lowest),
        {},
        ONE,
        bound_common=(*XS, *MEANS),
    )


def _difference(left: str, right: str) -> Row:
    return combine((1, unit(left)), (-1, unit(right)))


def ages_of(language: Windows | Periodic) -> dict[str, int]:
    """How old the gradient is that a client adds in each state.

    >>> ages_of(Periodic("100"))
    {'first': 0, '0': 0, '1': 1, '2': 2}
    """
    if isinstance(language, Windows):
        return {move.before: int(move.before.split(".")[1]) for move in language.moves()}
    twice, size = 2 * language.pattern, len(language.pattern)
    return {"first": 0} | {
        str(k): size + k - twice.rindex("1", 0, size + k + 1) for k in range(size)
    }
