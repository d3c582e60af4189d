"""All lemmas of the papers with their stored certificates, and one inequality that is known."""

import json

from fltheory.analysis.inequalities.expressions import Expression
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.inequality import Lemma, certificate_file
from fltheory.papers import modules
from fltheory.papers.mifa.paper import PAPER

LEMMAS = [lemma for part in modules() for lemma in getattr(part, "LEMMAS", ())]


def stored(lemma: Lemma) -> dict:
    return json.loads(certificate_file(lemma.name, PAPER).read_text())


def above_optimum() -> tuple[Sketch, Expression, Expression]:
    """|grad f|^2 and f - f* at a point."""
    sketch = Sketch(FunctionClass(1), 1)
    point = sketch.vector()
    sketch.tell(0, ORIGIN, ORIGIN)
    return sketch, sketch.gradient(0, point) ** 2, sketch.value(0, point) - sketch.value(0, ORIGIN)
