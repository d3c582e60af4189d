"""Methods with memory on smooth functions that need not be convex: the mean squared gradient."""

from fractions import Fraction

from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.language import Staleness
from fltheory.analysis.potentials.memory import contribution, moved_to
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
from fltheory.analysis.potentials.program import ONE as CONSTANT
from fltheory.analysis.potentials.question import ForeverQuestion

ONE = constant(1)


def gradient_model(question: ForeverQuestion, language: Staleness) -> Model:
    """In the mean over clients V >= f(x) - |grad f(x)|^2/(2L), and each round gains a multiple of
    |grad f(x)|^2.

    The newest model x is the origin. v = grad f(x) is common, and v - grad f_i(x) has mean zero.
    V_age = p f_i(x) + (1 - p) (f_i(s) + <g, d>) + a form in d = x - s and u = grad f_i(x) - g,
    where g is the gradient at s. Tilting f_i changes nothing, so the form vanishes along the
    gradients.
    """
    if language.cold:
        raise DoesNotFit("a cold start has no potential for the mean squared gradient yet")
    if question.local_steps > 1:
        raise DoesNotFit("the mean squared gradient is for one local step")
    found = contribution(question, language.bound, slope=None)
    eta = question.step
    states: dict[str, ClientState] = {}
    edges, bounds = [], []
    equalities = []
    pairs = (Pair("d", "d"), Pair("d", "u"), Pair("u", "u"), Pair("d", "g"))

    def update(age: int) -> Row:
        (name,) = found.asked
        own = "g" if age else "t"
        return {own if key == name else key: v for key, v in moved_to(found.update, "s").items()}

    for age in range(language.bound + 1):
        state = str(age)
        if age:
            states[state] = ClientState(pairs, {"t": None, "s": None})
            one, two = ("v", state, "t"), ("v", state, "s")
            equalities.append({one: Fraction(1), two: Fraction(1), CONSTANT: Fraction(-1)})
            equalities.append({two: Fraction(1), ("V", state, "d", "g"): Fraction(-1)})
        else:
            states[state] = ClientState((), {"t": ONE})
        here = At(
            state,
            {
                "d": combine((-1, unit("s"))),
                "u": combine((1, unit("t")), (-1, unit("g"))),
                "g": unit("g"),
            }
            if age
            else {},
            {"t": "ft", "s": "fs"} if age else {"t": "ft"},
        )
        old = "g" if age else "t"
        past = unit("s") if age else {}
        records = [Request("ft", {}, unit("t"))]
        if age:
            records.append(Request("fs", unit("s"), unit("g")))
        own = ("s", "g") if age else ()
        mean: Row = combine((1, unit("v")), (-1, unit("t")))
        for b in sorted({0, age + 1} - {language.bound + 1}):
            after = At("0", {}, {"t": "fn"})
            if b:
                moved: dict[str, Row] = {
                    "d": combine((1, unit("n")), (-1, past)),
                    "u": combine((1, unit("gn")), (-1, unit(old))),
                    "g": unit(old),
                }
                after = At(str(b), moved, {"t": "fn", "s": "fs" if age else "ft"})
            edges.append(
                Edge(
                    f"{age} -> {b}",
                    ("n", "v", "t", "gn", *own),
                    here,
                    ((Fraction(1), after),),
                    ((Request("fn", unit("n"), unit("gn")), *records),),
                    {"update": combine((1, unit("n")), (eta, update(age))), "mean": mean},
                    ("t", "gn", *own[1:]),
                )
            )
        bounds.append(
            BoundOfPotential(
                state,
                ("v", "t", *own),
                here,
                (("v", "v", constant(Fraction(-1, 2))),),
                {"ft": ONE},
                (tuple(records),) if age else (),
                {"mean": mean},
                ("t", *own[1:]),
            )
        )
    return Model(
        states,
        tuple(edges),
        tuple(bounds),
        ("n", "v"),
        ONE,
        constant(question.lowest),
        ONE,
        {},
        bound_common=("v",),
        gains={"v": None},
        equalities=tuple(equalities),
    )
