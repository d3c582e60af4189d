"""All step sizes up to a bound and all condition numbers above one in a single potential, for
methods with memory and one local step.

The parameters are eta in [0, largest step] and mu in [0, largest mu] with L = 1. Vectors are
divided by eta where that removes a common factor: D = (x_{t+1} - x_t)/eta and d = (x_t - x_s)/eta.
V_age = |x|^2 + k |x - x_s|^2 + eta (2 e <x - x_s, g> + c |g|^2) is affine in eta. Multipliers of
true inequalities are eta (1 - mu) + eta mu y, for there is no room elsewhere as mu tends to 0.
"""

from fractions import Fraction

from fltheory.analysis.potentials.generic_client import DoesNotFit, walk
from fltheory.analysis.potentials.language import Staleness
from fltheory.analysis.potentials.memory import ONE as NUMBER_ONE
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
from fltheory.analysis.potentials.polynomials import Poly, Row, plus, unit
from fltheory.analysis.potentials.question import AllSteps, ForeverQuestion
from fltheory.traces.trace import Trace

ONE: Poly = {(0, 0): Fraction(1)}
ETA: Poly = {(1, 0): Fraction(1)}
MU: Poly = {(0, 1): Fraction(1)}
ETA_MU: Poly = {(1, 1): Fraction(1)}


def box_model(question: ForeverQuestion, language: Staleness, steps: AllSteps) -> Model:
    """|x_{t+1} - x*|^2 <= V_{t+1} <= (1 - theta eta_t mu) V_t; theta is the number in the rate."""
    if question.local_steps > 1 or language.cold:
        raise DoesNotFit("all step sizes at once are for one local step and a warm start")
    _refuse_other_updates(question, language, steps)
    full = (Pair("x", "x", ONE), Pair("d", "d"), Pair("d", "eg"), Pair("g", "eg"))
    states: dict[str, ClientState] = {}
    edges, bounds = [], []
    for age in range(language.bound + 1):
        states[str(age)] = ClientState(full if age else full[:1])
        at = At(str(age), _vectors(unit("x", ONE), unit("d", ETA), unit("g", ONE), ETA))
        past: Row = {"x": ONE, "d": {(1, 0): Fraction(-1)}} if age else {"x": ONE}
        records = ((Request("f", past, unit("g", ONE)), STAR),)
        moved: Row = {"x": ONE, "D": ETA}
        grown: Row = {"D": ETA, "d": ETA} if age else {"D": ETA}
        for after in sorted({0, age + 1} - {language.bound + 1}):
            # a later step lies in [0, eta] and V is affine in it, so that both ends suffice
            ends: tuple[Poly, ...] = (ETA, {}) if steps.falling and after else (ETA,)
            for end in ends:
                target = At(str(after), _vectors(moved, grown, unit("g", ONE), end))
                edges.append(
                    Edge(
                        f"{age} -> {after}{'' if end else ', next step 0'}",
                        ("x", "D", *(("d",) if age else ()), "g"),
                        at,
                        ((Fraction(1), target),),
                        records,
                        {"update": {"D": ETA, "g": ETA}},
                    )
                )
        if age:
            free = At(str(age), _vectors(unit("x", ONE), unit("d", ONE), unit("g", ONE), ETA))
            bounds.append(BoundOfPotential(str(age), ("x", "d", "g"), free, (("x", "x", ONE),), {}))
    return Model(
        states,
        tuple(edges),
        tuple(bounds),
        ("x", "D"),
        ONE,
        MU,
        ONE,
        {(1, 1): Fraction(-1)},
        parameters=(
            ("eta", (Fraction(0), steps.largest_step)),
            ("mu", (Fraction(0), steps.largest_mu)),
        ),
        multiplier_scale=ETA_MU,
        multiplier_base=plus(ETA, ETA_MU, -1),
        given={"x": ONE},
    )


def _vectors(model: Row, step: Row, gradient: Row, size: Poly) -> dict[str, Row]:
    scaled = {"g": size} if size else {}
    return {"x": model, "d": step, "g": gradient, "eg": scaled}


def _refuse_other_updates(question: ForeverQuestion, language: Staleness, steps: AllSteps) -> None:
    """A client adds -eta g at its last model, with the newest step size if steps may fall."""
    found = contribution(question, language.bound, slope=None)
    if found.update != {found.asked[0]: NUMBER_ONE} or found.points != (unit("s"),):
        raise DoesNotFit("a client adds more than the gradient at the model of its last delivery")
    if steps.falling and language.bound:
        sizes = (Fraction(1, 2), Fraction(1, 3))
        trace = Trace.fresh([[1], [0]])
        row = walk(question.algorithm, trace, ("s", "x"), lambda t: sizes[t]).increments[1]
        if row != {"q0": {(): -sizes[1]}}:
            raise DoesNotFit(
                "a remembered update keeps the step size of its own round, so that falling steps"
                " need another potential"
            )
