"""Methods with memory, whose server averages over all clients: the generic client's state is the
age of its last delivery."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.analysis.potentials.generic_client import (
    CLIENTS,
    DoesNotFit,
    averages_over,
    walk,
)
from fltheory.analysis.potentials.language import ClientMove, Staleness, WithMemory
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
STAR = Request(None, {}, {})
"""The optimum of a client's tilted function: point, gradient and value are 0."""


class Contribution(NamedTuple):
    """What a client with memory adds to every round, in units of the step size and with the sign of
    a gradient; `points` and `asked` are its local path from the model of its last delivery."""

    update: Row
    points: tuple[Row, ...]
    asked: tuple[str, ...]


def contribution(question: ForeverQuestion, longest: int, *, slope: str | None) -> Contribution:
    """Run the method's own code for a client that delivers once and is then silent."""
    _refuse_other_servers(question, longest)
    steps, eta = question.local_steps, question.step
    silent = [[1]] + [[0]] * longest
    models = ("s", *(f"m{j}" for j in range(1, longest + 1)))
    found = walk(
        question.algorithm, Trace.fresh(silent, local_steps=steps), models, eta, slope=slope
    )
    for age, row in enumerate(found.increments):
        if row != found.increments[0]:
            raise DoesNotFit(
                f"what a client adds to the model changes {age} rounds after its delivery"
            )
    if longest:
        never = [[0]] * longest + [[1]]
        before = walk(
            question.algorithm, Trace.fresh(never, local_steps=steps), models, eta, slope=slope
        )
        if any(before.increments[:-1]):
            raise DoesNotFit("a client that never delivered moves the model")
    return Contribution(combine((-1 / eta, found.increments[0])), found.points, found.asked)


def _refuse_other_servers(question: ForeverQuestion, longest: int) -> None:
    """The server must average over all clients, in every trace of the language."""
    rounds = [[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 0, 0]] if longest else [[1, 1, 1]] * 3
    trace = Trace.fresh(np.array(rounds), local_steps=min(question.local_steps, 3))
    if averages_over(question.algorithm, trace) == CLIENTS:
        return
    if not longest:
        raise DoesNotFit(
            f"what a client of {question.method} adds depends on what other clients sent, so that"
            " no generic client alone shows it"
        )
    raise DoesNotFit(
        f"the server of {question.method} does not average over all clients with equal weights"
        " when some of them are silent, so a client's weight depends on the others;"
        " it has no potential of one generic client"
    )


def distance_model(question: ForeverQuestion, language: WithMemory, *, rich: bool = False) -> Model:
    """The distance to the optimum under strong convexity: V_state >= |x - x*|^2 - slack |b|^2, with
    b the client's gradient at x*. V of a client that delivers now is a multiple of |x - x*|^2, or
    with `rich` a form in x and its gradient there plus a multiple of its function value.

    The client's function is tilted by b, so that its gradients q vanish at x*. With one local step
    b drops out: the increments differ from those of the tilted function by -eta b, whose mean is
    zero.
    """
    found = contribution(question, language.longest, slope="b")
    eta = question.step
    tilted = any("b" in point for point in found.points)
    if question.local_steps > 1 and not tilted:
        raise DoesNotFit("its local steps ask for no gradients on the way")
    if rich and tilted:
        raise DoesNotFit("the rich potential is for one local step")
    share = found.update.get("b", {}).get((), Fraction(0))
    parts = Parts(
        found if tilted else found._replace(update=combine((1, found.update), (-share, unit("b")))),
        eta,
        ("b",) if tilted else (),
        rich,
        isinstance(language, Staleness) and not rich,
    )
    moves = language.moves()
    fresh = {move.before: move.fresh for move in moves}
    states = {name: parts.state(now) for name, now in fresh.items()}
    edges = [parts.edge(move) for move in moves]
    bounds = [] if parts.fixed else [parts.start(moves[0].before)]
    bounds += [parts.least(name, now) for name, now in fresh.items() if parts.bounded(now)]
    if language.cold:
        silent = {} if tilted else combine((-share, unit("b")))
        never: dict[str, Row] = {"update": combine((1, unit("n")), (-1, unit("x")), (eta, silent))}
        never |= parts.slopes()
        _cold(language.longest, parts.at("0", True, "n", "x"), never, states, edges, bounds)
    return Model(
        states,
        tuple(edges),
        tuple(bounds),
        ("n", "x"),
        ONE,
        constant(question.lowest),
        {},
        ONE,
        budgets={"b": None} if tilted else {},
    )


class Parts(NamedTuple):
    """The rows of the distance's potential; `tilt` is ("b",) if local steps see the slope b, and
    `fixed` makes V = |x|^2 in fresh states."""

    found: Contribution
    eta: Fraction
    tilt: tuple[str, ...]
    rich: bool
    fixed: bool

    def state(self, fresh: bool) -> ClientState:
        values = {"f": None} if self.rich else {}
        names: tuple[str, ...] = ("x", "u") if fresh and self.rich else ("x",)
        if not fresh:
            names = ("x", "s", "u", *self.tilt)
        pairs = tuple(Pair(a, b) for i, a in enumerate(names) for b in names[i:])
        return ClientState((Pair("x", "x", ONE),) if fresh and self.fixed else pairs, values)

    def at(self, state: str, fresh: bool, model: str, past: str) -> At:
        """V with the newest model and the model of the last delivery under these names."""
        ahead = fresh and model == "n"
        vectors: dict[str, Row] = {"x": unit(model)}
        if self.rich or not fresh:
            vectors["u"] = unit("gn") if ahead else moved_to(self.found.update, past)
        if not fresh:
            vectors |= {"s": unit(past)} | {name: unit(name) for name in self.tilt}
        return At(state, vectors, {"f": "fn" if ahead else "f0"} if self.rich else {})

    def slopes(self) -> dict[str, Row]:
        """Relations of the slopes b, whose mean is zero."""
        return {"slopes": unit("b")} if self.tilt else {}

    def edge(self, move: ClientMove) -> Edge:
        past = "x" if move.fresh else "s"
        ahead = self.rich and any(fresh for _, _, fresh in move.after)
        mark = f" in phase {move.phase}" if move.phase else ""
        relations = {
            "update": combine(
                (1, unit("n")), (-1, unit("x")), (self.eta, moved_to(self.found.update, past))
            )
        } | self.slopes()
        return Edge(
            f"{move.before} -> {move.after[0][1]}",
            ("n", *self.basis(move.fresh), *(("gn",) if ahead else ())),
            self.at(move.before, move.fresh, "x", past),
            tuple((c, self.at(name, fresh, "n", past)) for c, name, fresh in move.after),
            ((*self.path(past), *((Request("fn", unit("n"), unit("gn")),) if ahead else ())),),
            {f"{name}{mark}": row for name, row in relations.items()},
        )

    def basis(self, fresh: bool) -> tuple[str, ...]:
        return ("x", *(() if fresh else ("s",)), *self.found.asked, *self.tilt)

    def start(self, state: str) -> BoundOfPotential:
        """V <= constant |x|^2 when everybody delivers."""
        return BoundOfPotential(
            "start",
            self.basis(True),
            self.at(state, True, "x", "x"),
            (("x", "x", "constant"),),
            {},
            (self.path("x"),),
            sign=-1,
        )

    def bounded(self, fresh: bool) -> bool:
        """Whether V >= |x|^2 is to be shown; it is not where V = |x|^2 by choice."""
        return not (fresh and self.fixed)

    def least(self, state: str, fresh: bool) -> BoundOfPotential:
        past = "x" if fresh else "s"
        slack = tuple(("b", "b", "slack") for _ in self.tilt)
        return BoundOfPotential(
            state,
            self.basis(fresh),
            self.at(state, fresh, "x", past),
            (("x", "x", ONE), *slack),
            {},
            (self.path(past),) if self.rich or not fresh else (),
        )

    def path(self, past: str) -> tuple[Request, ...]:
        """The client's requests from the model of its last delivery, and its optimum."""
        found = self.found
        return (
            *(
                Request(f"f{k}", moved_to(point, past), unit(name))
                for k, (point, name) in enumerate(zip(found.points, found.asked, strict=True))
            ),
            STAR,
        )


def _cold(
    longest: int,
    heard: At,
    relations: Mapping[str, Row],
    states: dict[str, ClientState],
    edges: list[Edge],
    bounds: list[BoundOfPotential],
) -> None:
    """States of a client that has not delivered yet: V in x and b. `heard` is where it delivers."""
    pairs = (Pair("x", "x"), Pair("x", "b"), Pair("b", "b"))

    def at(count: int, model: str) -> At:
        return At(f"cold {count}", {"x": unit(model), "b": unit("b")})

    for count in range(longest):
        states[f"cold {count}"] = ClientState(pairs)
        nexts = [heard]
        if count + 1 < longest:
            nexts.append(at(count + 1, "n"))
        for after in nexts:
            ahead = "u" in after.vectors
            edges.append(
                Edge(
                    f"cold {count} -> {after.state}",
                    ("n", "x", "b", *(("gn",) if ahead else ())),
                    at(count, "x"),
                    ((Fraction(1), after),),
                    ((Request("fn", unit("n"), unit("gn")), STAR),) if ahead else (),
                    relations,
                )
            )
        bounds.append(
            BoundOfPotential(f"cold {count}", ("x", "b"), at(count, "x"), (("x", "x", ONE),), {})
        )
    bounds.append(
        BoundOfPotential(
            "cold start",
            ("x", "b"),
            at(0, "x"),
            (("x", "x", "constant"), ("b", "b", "constant")),
            {},
            sign=-1,
        )
    )


def moved_to(row: Row, past: str) -> Row:
    """The same row where the model of the last delivery has another name."""
    return {past if name == "s" else name: value for name, value in row.items()}
