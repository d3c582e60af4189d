"""Methods without memory that add deliveries with fixed weights: importance sampling, and
asynchronous or FedFix aggregation, where a client works on the model that it received after its
last delivery.

The weight of a client is 1/(N q), where q is its share of the rounds in which it delivers, so that
everybody counts alike in the long run. Slopes b at x* do not cancel in a single round: they leave a
floor. Under windows and patterns they cancel over a period, and what they moved the model since its
beginning is known to all: c = mean of (eta K/q) (deliveries in this period - q * its rounds) b.
With c in the potential the floor is of order eta^2; without it, of order eta.
"""

from fractions import Fraction

import numpy as np

import fltheory.algorithms
from fltheory.analysis.potentials.generic_client import CLIENTS, DoesNotFit, averages_over, walk
from fltheory.analysis.potentials.language import (
    ClientMove,
    Language,
    Periodic,
    RandomAvailability,
    Windows,
)
from fltheory.analysis.potentials.memory import STAR, moved_to
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
from fltheory.core.registry import Settings, find_member
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import WORKS_ON_LAST_RECEIVED
from fltheory.traces.trace import Trace

ONE = constant(1)


def is_weighted(method: str) -> bool:
    """Whether the method needs weights or probabilities of its clients."""
    return bool(find_member(fltheory.algorithms, method).needs & {"weights", "probabilities"})


def works_late(method: str) -> bool:
    """Whether a client works on the model that it received after its last delivery."""
    return WORKS_ON_LAST_RECEIVED in find_member(fltheory.algorithms, method).facts


def weighted_model(question: ForeverQuestion, language: Language) -> Model:
    """V_state in x, b and, for a client that works while others deliver, the model s that it
    works on; V >= |x - x*|^2 - slack |b|^2."""
    if not isinstance(language, RandomAvailability | Windows | Periodic):
        raise DoesNotFit(
            "fixed weights need a language in which every client has a known share of the rounds"
        )
    late = works_late(question.method)
    share = share_of_rounds(language)
    _refuse_other_servers(question, share)
    eta, steps = question.step, question.local_steps
    rounds, started = ([[0], [1]], [[0], [0]]) if late else ([[1]], [[0]])
    trace = Trace(rounds, started, [[steps * now for now in row] for row in rounds])
    models = ("s", "x") if late else ("s",)
    found = walk(built(question.method, share, 1), trace, models, eta, slope="b")
    past = "s" if late else "x"
    update = moved_to(combine((-1 / eta, found.increments[-1])), past)
    records = tuple(
        Request(f"f{k}", moved_to(point, past), unit(name))
        for k, (point, name) in enumerate(zip(found.points, found.asked, strict=True))
    )
    moves = language.moves()
    ahead = deliveries_ahead(language, moves)
    drift = ("c",) if ahead else ()
    names = ("x", *(("s",) if late else ()), "b", *drift)
    pairs = tuple(Pair(a, b) for i, a in enumerate(names) for b in names[i:])

    def at(state: str, model: Row, work: Row, moved: Row) -> At:
        own = ({"s": work} if late else {}) | ({"c": moved} if ahead else {})
        return At(state, {"x": model, "b": unit("b")} | own)

    def drifted(state: str, name: str) -> Row:
        return combine((eta * steps / share * ahead[state], unit("b")), (-1, unit(name)))

    def edge(move: ClientMove) -> Edge:
        mark = f" in phase {move.phase}" if move.phase else ""
        moved = (eta, update) if move.fresh else (0, update)
        relations = {"update": combine((1, unit("n")), (-1, unit("x")), moved), "slopes": unit("b")}
        if ahead:
            relations["drift"] = drifted(move.before, "c")
            relations["later drift"] = drifted(move.after[0][1], "e")
        work = unit("n") if move.fresh else unit("s")
        return Edge(
            f"{move.before} -> {move.after[0][1]}",
            ("n", *names, *(("e",) if ahead else ()), *(found.asked if move.fresh else ())),
            at(move.before, unit("x"), unit("s"), unit("c")),
            tuple((chance, at(name, unit("n"), work, unit("e"))) for chance, name, _ in move.after),
            ((*records, STAR),) if move.fresh else (),
            {f"{name}{mark}": row for name, row in relations.items()},
        )

    states = {move.before: ClientState(pairs) for move in moves}
    least = (("x", "x", ONE), ("b", "b", "slack"))
    start = (("x", "x", "constant"), ("b", "b", "constant"))
    first = at(moves[0].before, unit("x"), unit("x"), {})  # no drift: the first round ends a period
    here = unit("x"), unit("s"), unit("c")
    return Model(
        states,
        tuple(edge(move) for move in moves),
        (
            BoundOfPotential("start", ("x", "b"), first, start, {}, sign=-1),
            *(
                BoundOfPotential(
                    state,
                    names,
                    at(state, *here),
                    least,
                    {},
                    (),
                    {"drift": drifted(state, "c")} if ahead else {},
                )
                for state in states
            ),
        ),
        ("n", "x", *(("c", "e") if ahead else ())),
        ONE,
        constant(question.lowest),
        {},
        ONE,
        bound_common=("x", *drift),
        budgets={"b": None},
    )


def deliveries_ahead(
    language: RandomAvailability | Windows | Periodic, moves: tuple[ClientMove, ...]
) -> dict[str, Fraction]:
    """Deliveries of a client in this period before a round, less the share of the rounds (for
    windows without it, which is the same for all clients); empty without periods.

    >>> deliveries_ahead(Periodic("110"), Periodic("110").moves())["2"]
    Fraction(2, 3)
    """
    if isinstance(language, RandomAvailability):
        return {}
    if isinstance(language, Windows):
        states = {move.before: [int(part) for part in move.before.split(".")] for move in moves}
        return {name: Fraction(0 < age <= phase) for name, (phase, age) in states.items()}
    word, share = language.pattern, share_of_rounds(language)
    places = range(len(word))
    return {"first": Fraction(0)} | {str(k): word[:k].count("1") - k * share for k in places}


def share_of_rounds(language: RandomAvailability | Windows | Periodic) -> Fraction:
    """The part of the rounds in which a client delivers.

    >>> share_of_rounds(Periodic("110"))
    Fraction(2, 3)
    """
    if isinstance(language, RandomAvailability):
        return language.chance
    if isinstance(language, Windows):
        return Fraction(1, language.length)
    return Fraction(language.pattern.count("1"), len(language.pattern))


def built(method: str, share: Fraction, clients: int) -> Algorithm:
    """The method with the weights 1/(N q) for so many clients."""
    settings = {
        "weights": (1 / (clients * share),) * clients,
        "probabilities": (share,) * clients,
    }
    needs = find_member(fltheory.algorithms, method).needs
    given = {name: value for name, value in settings.items() if name in needs}
    found: Algorithm = find_member(fltheory.algorithms, method).build(Settings(given))
    return found


def _refuse_other_servers(question: ForeverQuestion, share: Fraction) -> None:
    rounds = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 0, 0]])
    trace = Trace.fresh(rounds, local_steps=min(question.local_steps, 3))
    alone = built(question.method, share, 1)
    if averages_over(built(question.method, share, 3), trace, alone) != CLIENTS:
        raise DoesNotFit(f"the server of {question.method} does not add deliveries one by one")
