"""Questions with proofs that several tests use, and the standalone checker as a module."""

import importlib.util
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType

from fltheory.analysis.potentials.answer import Answered, answer
from fltheory.analysis.potentials.language import (
    Delays,
    Periodic,
    RandomAvailability,
    Staleness,
    Turns,
    Windows,
)
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.worst_case.function_classes import FunctionClass

VERIFICATION = Path(__file__).parents[3] / "verification"

MU = Fraction(1, 10)
STRONG, SMOOTH = FunctionClass(1, MU), FunctionClass(1, convex=False)

QUESTIONS = {
    "gradient descent": ForeverQuestion("fedavg", Staleness(0), STRONG, Fraction(1)),
    "scaffold": ForeverQuestion("scaffold", Staleness(0), STRONG, Fraction(1, 4)),
    "mifa": ForeverQuestion("mifa", Staleness(3), STRONG, Fraction(3, 8)),
    "rich": ForeverQuestion("mifa", Staleness(2), STRONG, Fraction(3, 5)),
    "cold": ForeverQuestion("fedlaavg", Staleness(2, cold=True), STRONG, Fraction(1, 4)),
    "local": ForeverQuestion(
        "mifa", Staleness(1), FunctionClass(4, Fraction(2, 5)), Fraction(1, 40), 2
    ),
    "divided": ForeverQuestion("afa-cs", Staleness(2), STRONG, Fraction(1, 10), 2),
    "random": ForeverQuestion("mifa", RandomAvailability(Fraction(1, 2)), STRONG, Fraction(1, 4)),
    "window": ForeverQuestion("mifa", Windows(3), STRONG, Fraction(1, 6)),
    "periodic": ForeverQuestion("fedlaavg", Periodic("110"), STRONG, Fraction(1, 4)),
    "arrivals": ForeverQuestion(
        "afa-cd", Delays(2), SMOOTH, Fraction(1, 5), target=Target.GRADIENT
    ),
    "late": ForeverQuestion("afa-cs", Delays(2), STRONG, Fraction(1, 5)),
    "late rich": ForeverQuestion(
        "mifa", Delays(1), FunctionClass(2, Fraction(1, 5)), Fraction(2, 5)
    ),
    "late arrivals": ForeverQuestion("fedavg", Delays(1), STRONG, Fraction(1, 5)),
    "turns": ForeverQuestion("fedavg", Turns("ABB"), STRONG, Fraction(1, 4)),
    "box": ForeverQuestion("mifa", Staleness(2), STRONG, Fraction(1, 2), every_step=True),
    "falling": ForeverQuestion(
        "mifa", Staleness(2), STRONG, Fraction(1, 2), every_step=True, falling=True
    ),
    "sampling": ForeverQuestion(
        "importance-sampling", RandomAvailability(Fraction(1, 2)), STRONG, Fraction(1, 10)
    ),
    "history": ForeverQuestion("fedlaavg", Periodic("110"), STRONG, Fraction(29, 20)),
    "sampled in windows": ForeverQuestion(
        "importance-sampling", Windows(2), FunctionClass(2, Fraction(1, 5)), Fraction(1, 20)
    ),
    "clocked": ForeverQuestion("async", Periodic("100"), STRONG, Fraction(1, 10), 2),
    "smooth": ForeverQuestion("mifa", Staleness(3), SMOOTH, Fraction(3, 8), target=Target.GRADIENT),
}


@cache
def answered(name: str) -> Answered:
    """The proof of a question."""
    return answer(QUESTIONS[name])


@cache
def standalone(name: str = "check_forever") -> ModuleType:
    """A program of the standard library, loaded from its file."""
    if str(VERIFICATION) not in sys.path:
        sys.path.insert(0, str(VERIFICATION))
    spec = importlib.util.spec_from_file_location(name, VERIFICATION / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
