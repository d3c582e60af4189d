"""Certificates of parametric identities and inequalities: a substitution, a loop, and the
coefficients that are left."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from fltheory.analysis.arithmetic.quotients import MAX_POWER
from fltheory.analysis.arithmetic.quotients import wrong as _wrong
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json

Terms: TypeAlias = Sequence[tuple[int, Sequence[tuple[str, int]]]]
"""A polynomial: coefficients and the powers of their variables."""
Use: TypeAlias = tuple[str, str, str | int]
"""A multiplier, and what it multiplies: a square, or a fact that is given or kept, by number."""


@dataclass(frozen=True)
class Statement:
    """What a claim says, as text: both sides, the kinds of its symbols, and its assumptions as
    sentences by id; `others` holds the claims that its proof takes for granted."""

    claim: str
    left: str
    sign: str
    right: str
    kinds: Mapping[str, Sequence[str]]
    assumes: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, "Statement"] = field(default_factory=dict)

    def to_json(self) -> Json:
        """One line of statements.jsonl."""
        return {
            "claim": self.claim,
            "left": self.left,
            "sign": self.sign,
            "right": self.right,
            "kinds": {name: list(kinds) for name, kinds in self.kinds.items()},
            "assumes": dict(self.assumes),
        }


@dataclass(frozen=True)
class ProofSketch:
    """What the symbols of a claim mean in a proof, and how it goes: all but the coefficients.

    `model` says in words what gives the symbols. `let` defines names by formulas: those of the
    model, and parameters that a new variable lets run through all values that the claim allows:
    (name, formula, new variable, "kind" or number of the condition in `given`). `given` holds
    (formula, sign, id of the assumption, its sentence), or "model" and a reason, or "claim" and the
    id of a claim that is proved elsewhere; its other assumptions are `implied`, with reasons.
    `state` has the start and the branches of a step, `keep` what every step keeps; `inputs` are new
    in every step.
    `uses` names what is subtracted from a fact: multiples of facts that are given or kept, and of
    squares. `constant` is that of an order. README.md of the record has an example.
    """

    claim: str
    model: str
    variables: Mapping[str, str]
    let: Sequence[Sequence[str | int]] = ()
    given: Sequence[tuple[str, str, str, str]] = ()
    powers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    roots: Sequence[str] = ()
    opaque: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keep: Sequence[tuple[str, str]] = ()
    inputs: Sequence[str] = ()
    uses: Mapping[str, Sequence[Use]] = field(default_factory=dict)
    constant: str = ""
    implied: Mapping[str, str] = field(default_factory=dict)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Claims that the proof takes for granted."""
        return tuple(says for _, _, because, says in self.given if because == "claim")

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "ProofSketch":
        """Read a table of a sketch."""
        known = set(cls.__dataclass_fields__)
        for name in data.keys() - known:
            raise InvalidInput("sketch of a proof", "have known fields only", name[:60])
        for name in ("claim", "model"):
            if not data.get(name):
                raise InvalidInput("sketch of a proof", f"have {name}", "none")
        given = {name: data[name] for name in data.keys() & known}
        for name, thing in given.items():
            wanted = _SHAPES.get(name, (list, tuple))
            if not isinstance(thing, wanted):
                raise InvalidInput(
                    f"{name} of the sketch of a proof", "have its shape", repr(thing)[:60]
                )
        return cls(**cast(dict[str, str], given))  # type: ignore[arg-type]

    def meaning(self) -> Json:
        """The fields that are not empty, but the claim and the multipliers."""
        proof = ("claim", "uses")
        fields = {n: getattr(self, n) for n in self.__dataclass_fields__ if n not in proof}
        return cast(Json, {k: v for k, v in fields.items() if v or k in ("let", "variables")})


_SHAPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("claim", "model", "constant"), (str,)),
    **dict.fromkeys(("variables", "powers", "opaque", "state", "uses", "implied"), (dict,)),
}


@dataclass(frozen=True)
class Certificate:
    """What a file gives: multipliers, and numerator and denominator of every fact."""

    claim: str
    facts: Mapping[str, tuple[Terms, Terms]]
    uses: Mapping[str, Sequence[Use]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Certificate":
        """Read the object of a file; nothing in it is without meaning.

        >>> Certificate.from_json({"claim": "x.y", "facts": [["goal", [], [["1", []]]]]}).facts
        {'goal': ([], [(1, [])])}
        """
        if unknown := sorted(data.keys() - {"claim", "facts", "uses"}):
            raise _wrong("have known fields only", unknown[0][:60])
        claim, uses, facts = data.get("claim"), data.get("uses", {}), data.get("facts")
        if not isinstance(claim, str) or not isinstance(uses, dict):
            raise _wrong("name its claim, and uses by fact", repr(claim)[:60])
        found: dict[str, tuple[Terms, Terms]] = {}
        for entry in _listed(facts):
            name, *sides = _listed(entry, 3)
            if not isinstance(name, str) or name in found:
                raise _wrong("name every fact once", repr(name)[:60])
            found[name] = (_terms(sides[0]), _terms(sides[1]))
        return cls(claim, found, {name: [_use(r) for r in _listed(u)] for name, u in uses.items()})


_WHOLE = re.compile(r"-?[1-9][0-9]{0,300}")


def _listed(thing: object, count: int | None = None) -> list[object]:
    if not isinstance(thing, list) or count not in (None, len(thing)):
        raise _wrong("have lists" + (f" of {count}" if count else ""), repr(thing)[:60])
    return thing


def _use(row: object) -> Use:
    multiplier, what, which = _listed(row, 3)
    right = {"square": str, "given": int, "keep": int}.get(str(what))
    if not isinstance(multiplier, str) or right is None or type(which) is not right:
        raise _wrong("use squares, what is given, and what a step keeps", repr(row)[:60])
    return multiplier, str(what), cast(str | int, which)


def _terms(side: object) -> Terms:
    found = []
    for term in _listed(side):
        text, powers = _listed(term, 2)
        if not isinstance(text, str) or not _WHOLE.fullmatch(text):
            raise _wrong("have whole coefficients other than 0", repr(text)[:60])
        pairs = []
        for entry in _listed(powers):
            name, k = _listed(entry, 2)
            if not isinstance(name, str) or type(k) is not int or not 0 < k <= MAX_POWER:
                raise _wrong("have powers of its variables", repr(entry)[:60])
            pairs.append((name, k))
        found.append((int(text), pairs))
    return found
