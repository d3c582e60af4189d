"""A potential as a small JSON document, and the way back: only the question and the numbers are
written; automaton and rows follow from the method."""

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, cast

from fltheory.analysis.potentials.assemble import Assembly
from fltheory.analysis.potentials.language import Delays, Turns, language_from_json
from fltheory.analysis.potentials.model import Model
from fltheory.analysis.potentials.polynomials import Powers
from fltheory.analysis.potentials.program import MatrixProgram, Unknown
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.questions import model_of
from fltheory.analysis.potentials.rounding import violations
from fltheory.analysis.potentials.search import Potential
from fltheory.analysis.potentials.weighted import is_weighted
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Json

FORMAT = "fltheory forever certificate 1"

FIELDS = {"V": "potential", "v": "values", "Y": "relations"}
SINGLE = ("slack", "constant", "budgets", "gains")
"""Unknowns that stand in the inequality that is proved."""

WRITTEN = re.compile(r"-?[0-9]+(/[0-9]+)?")
LONGEST = 3000
"""How a number is written, and in how many characters at most; 1e3 or 0.5 are refused."""

Number = Any
"""A fraction as text, or a list of [fraction, powers] for a polynomial."""


def certificate(question: ForeverQuestion, potential: Potential, *, rich: bool = False) -> Json:
    """The document of a potential; zeros are left out."""
    numbers: dict[str, Any] = {
        "potential": {},
        "values": {},
        "multipliers": [[] for _ in potential.model.edges],
        "relations": {},
        "uncorrelated": [[] for _ in potential.model.edges],
        "bounds": {},
        "constants": {},
    }
    for name, number in _collected(potential.numbers):
        kind, *rest = name
        if kind == "y":
            numbers["multipliers"][rest[0]].append([*rest[1:], number])
        elif kind == "u":
            numbers["uncorrelated"][rest[0]].append([*rest[1:], number])
        elif kind in SINGLE:
            numbers["constants"][" ".join((kind, *rest))] = number
        elif kind in "VvY":
            numbers[FIELDS[kind]].setdefault(rest[0], {})[" ".join(rest[1:])] = number
        else:
            numbers["bounds"].setdefault(rest[0], []).append([*rest[1:], number])
    return {
        "format": FORMAT,
        **question_to_json(question),
        "rich": rich,
        "rate": str(potential.rate),
        **numbers,
    }


def _collected(numbers: Mapping[Unknown, Fraction]) -> Iterator[tuple[tuple[Any, ...], Number]]:
    """Names with their numbers; the monomials of a polynomial together."""
    found: dict[tuple[Any, ...], dict[Powers, Fraction]] = {}
    for unknown, value in numbers.items():
        if value and isinstance(unknown, tuple):
            name, powers = cast(tuple[tuple[Any, ...], Powers], unknown)
            found.setdefault(name, {})[powers] = value
    for name, poly in found.items():
        if set(poly) <= {(0,) * len(next(iter(poly)))}:
            yield name, str(next(iter(poly.values())))
        else:
            yield name, [[str(value), list(powers)] for powers, value in sorted(poly.items())]


def question_to_json(question: ForeverQuestion) -> Json:
    """The question in the user's units."""
    functions = question.functions
    return {
        "method": question.method,
        "settings": {name: str(value) for name, value in question.settings.items()},
        "language": question.language.to_json(),  # type: ignore[dict-item]
        "smoothness": str(functions.smoothness),
        "lowest_curvature": str(functions.lowest_curvature),
        "step_size": str(question.step_size),
        "local_steps": question.local_steps,
        "target": question.target.value,
        "all_steps": {"falling": question.falling} if question.every_step else None,
    }


def question_from_json(data: Mapping[str, Any]) -> ForeverQuestion:
    """Read what `question_to_json` wrote; anything else is refused."""
    try:
        high, low = exact(data["smoothness"]), exact(data["lowest_curvature"])
        convex = low >= 0
        if not convex and low != -high:
            raise InvalidInput("lowest curvature", f"be at least 0, or {-high}", low)
        functions = FunctionClass(high, low if convex else 0, convex)
        return ForeverQuestion(
            data["method"],
            language_from_json(data["language"]),
            functions,
            exact(data["step_size"]),
            data["local_steps"],
            Target(data["target"]),
            data["settings"],
            False,
            data["all_steps"] is not None,
            data["all_steps"] is not None and data["all_steps"]["falling"] is True,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise InvalidInput(
            "certificate", "have all fields of a question", f"trouble with {problem!r}"
        ) from None


def refuted(document: Mapping[str, Any]) -> list[str]:
    """Why a certificate proves nothing; empty if it is a proof.

    The method's code is run again, the program is assembled anew, and only numbers are read.
    """
    if document.get("format") != FORMAT:
        return ["not a certificate of this format"]
    try:
        _, program, values = read(document)
    except InvalidInput as reason:
        return [str(reason)]
    gained = sum(x for unknown, x in values.items() if _kind(unknown) == "gains")
    if document["target"] == Target.GRADIENT.value and not gained:
        return ["nothing is gained"]
    return violations(program, values, exact(document["rate"]))


def _kind(unknown: Unknown) -> str:
    """The first word of an unknown's name."""
    name, _ = cast(tuple[tuple[Any, ...], Powers], unknown)
    return str(name[0])


def size_of(question: ForeverQuestion) -> int:
    """How much work a check is: moves of a client times the cube of the models of a round."""
    if isinstance(question.language, Delays):
        return (question.language.bound + 1) * (question.language.bound + 2) ** 3
    moves = 50 if isinstance(question.language, Turns) else len(question.language.moves())
    return (6 if question.every_step else 1) * moves * (question.local_steps + 1) ** 3


def read(document: Mapping[str, Any]) -> tuple[Model, MatrixProgram, dict[Unknown, Fraction]]:
    """The model of the document's question, the program, and its numbers by the names of the
    unknowns."""
    question = question_from_json(document)
    _refuse_other_fields(document, question)
    model = model_of(question, rich=document["rich"])
    for field in ("multipliers", "uncorrelated"):
        if len(document[field]) != len(model.edges):
            raise InvalidInput(f"certificate, {field}", "have one list per move", field)
    program = Assembly(model).program
    found: dict[Unknown, Fraction] = {}
    zero = (0,) * len(model.parameters)
    known = set(program.unknowns)
    places = {str(name[1]) for name, _ in cast(set[tuple[tuple[Any, ...], Powers]], known)}
    for field in (*FIELDS.values(), "bounds"):
        for place in document[field].keys() - places:
            raise InvalidInput(f"certificate, {field}", "speak of its question", f"{place!r:.60}")
    for name, number in _listed(document):
        terms = [[number, zero]] if isinstance(number, str) else number
        for value, powers in terms:
            unknown = (name, tuple(powers))
            if unknown not in known or unknown in found:
                raise InvalidInput("certificate", "name unknowns of its question once", name)
            found[unknown] = _number(value, f"certificate, {name}")
    return model, program, {u: found.get(u, Fraction(0)) for u in program.unknowns}


def _number(value: object, owner: str) -> Fraction:
    """A number in the only form in which a certificate may have it."""
    if not isinstance(value, str) or len(value) > LONGEST or not WRITTEN.fullmatch(value):
        raise InvalidInput(owner, "be written like -3/4", f"{value!r:.60}")
    return exact(value, owner)


def _refuse_other_fields(document: Mapping[str, Any], question: ForeverQuestion) -> None:
    """The grammar is closed: the fields of a certificate, a question as it is written, and a rate
    with which its inequality can be summed over the rounds."""
    written = {"format": FORMAT, **question_to_json(question)}
    others = {"rich", "rate", "multipliers", "uncorrelated", "bounds", "constants"}
    if set(document) != {*written, *others, *FIELDS.values()}:
        raise InvalidInput("certificate", "have the fields of its format", sorted(document))
    asked = {name: document[name] for name in written}
    # as text, because in Python True equals 1
    if json.dumps(asked, sort_keys=True) != json.dumps(written, sort_keys=True):
        raise InvalidInput("certificate", "write its question in the usual form", "another form")
    if question.settings:
        raise InvalidInput("certificate", "name a method without settings", dict(question.settings))
    if type(document["rich"]) is not bool:
        raise InvalidInput("certificate, rich", "be true or false", document["rich"])
    one_form = question.every_step or question.target is Target.GRADIENT
    if document["rich"] and (
        one_form or isinstance(question.language, Turns) or is_weighted(question.method)
    ):
        raise InvalidInput("certificate, rich", "be false where there is one potential", True)
    rate = _number(document["rate"], "rate")
    falls = rate == 1 if question.target is Target.GRADIENT else 0 < rate < 1
    if not (0 < rate <= 1 if question.every_step else falls):
        raise InvalidInput("rate", "fit the inequality: below 1, or 1 for gradients", rate)


def _listed(document: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Number]]:
    for field, kind in (("potential", "V"), ("values", "v"), ("relations", "Y")):
        for state, entries in document[field].items():
            for key, number in entries.items():
                yield (kind, state, *key.split(" ")), number
    for field, kind in (("multipliers", "y"), ("uncorrelated", "u")):
        for edge, listed in enumerate(document[field]):
            for *rest, number in listed:
                yield (kind, edge, *rest), number
    for key, number in document["constants"].items():
        yield tuple(key.split(" ")), number
    for state, listed in document["bounds"].items():
        for *rest, number in listed:
            yield ("z", state, *rest), number
