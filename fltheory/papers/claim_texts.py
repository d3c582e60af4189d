"""Texts of a claim file: formulas, formulas over clients, conditions, and hypotheses by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import sympy

from fltheory.claims.claim import Assumption
from fltheory.claims.condition import Condition
from fltheory.claims.forever import about_limits
from fltheory.claims.hypotheses import (
    CLASSES,
    ROUND,
    AveragingIs,
    LossesAre,
    ParticipationIs,
    StepSizeIs,
)
from fltheory.claims.measures import MEASURES
from fltheory.claims.measures_of_clients import AGGREGATES, symbols_of_clients
from fltheory.claims.participation import LAWS
from fltheory.core.errors import InvalidInput
from fltheory.core.formulas import read_formula, read_relation
from fltheory.core.vocabulary import CLIENT_WORDS

EVERY_CLIENT = "every client:"
"""The beginning of a condition that holds for each client by itself."""

CHOICES: Mapping[str, Mapping[str, str]] = {"participation": LAWS, "losses": CLASSES}
"""Fields that name a hypothesis, and what they may say."""

BY_ROUND = ("step_size", "averaging")
"""Fields with a formula in the number t of the round, from 0."""


@dataclass(frozen=True)
class Letters:
    """The symbols that the texts of a claim may use, and the claim that they belong to."""

    symbols: Mapping[str, sympy.Symbol]
    owner: str

    def formula(self, text: object, what: str) -> sympy.Expr:
        """A formula, which may contain formulas over clients.

        >>> letters = Letters({"x": sympy.Symbol("x")}, "a claim")
        >>> letters.formula("2*x + mean_over_clients(client_smoothness)", "left side")
        mean_over_clients(client_smoothness) + 2*x
        """
        plain, symbols = self._plain(text, what)
        with_hint(plain, symbols, f"{what} of {self.owner}")
        return read_formula(plain, symbols, f"{what} of {self.owner}")

    def condition(self, text: object, what: str) -> Condition:
        """A condition on quantities of the run, or on every client."""
        owner = f"{what} of {self.owner}"
        if isinstance(text, str) and text.strip().startswith(EVERY_CLIENT):
            return self._of_every_client(text, owner)
        plain, symbols = self._plain(text, what)
        with_hint(plain, symbols, owner)
        left, sign, right = _below(*read_relation(plain, symbols, owner))
        return Condition(str(text), left, sign, right)

    def _of_every_client(self, text: str, owner: str) -> Condition:
        own = symbols_of_clients()
        plain = text.strip()[len(EVERY_CLIENT) :]
        with_hint(plain, own, owner)
        left, sign, right = _below(*read_relation(plain, own, owner))
        gap = sympy.Abs(left - right) if sign == "=" else left - right
        worst = over_clients("max_over_clients", gap)
        return Condition(text.strip(), worst, sign, sympy.S.Zero)

    def _plain(self, text: object, what: str) -> tuple[str, dict[str, sympy.Symbol]]:
        """The text with a fresh name in place of every formula over clients."""
        symbols = dict(self.symbols)
        if not isinstance(text, str):
            return text, symbols  # type: ignore[return-value]  # the reader refuses it by name
        plain = text
        while (found := re.search(rf"\b({'|'.join(AGGREGATES)})\s*\(", plain)) is not None:
            end = _closing(plain, found.end(), f"{what} of {self.owner}")
            own = symbols_of_clients()
            inside = plain[found.end() : end]
            with_hint(inside, own, f"{found.group(1)}() in {what} of {self.owner}")
            formula = read_formula(inside, own, f"{found.group(1)}() in {what} of {self.owner}")
            name = f"over_clients_{len(symbols)}"
            symbols[name] = over_clients(found.group(1), formula)
            plain = f"{plain[: found.start()]} {name} {plain[end + 1 :]}"
        return plain, symbols


def over_clients(function: str, formula: sympy.Expr) -> sympy.Symbol:
    """The symbol whose name is a formula over clients, as fltheory.claims.measures_of_clients reads
    it."""
    text = re.sub(r"\bAbs\(", "abs(", str(formula)).replace("**", "^").replace(" ", "")
    text = text.replace("Max(", "max(").replace("Min(", "min(")
    return sympy.Symbol(f"{function}({text})", real=True)


def _closing(text: str, start: int, owner: str) -> int:
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise InvalidInput(owner, "close every bracket", text[start : start + 30])


def _below(left: sympy.Expr, sign: str, right: sympy.Expr) -> tuple[sympy.Expr, str, sympy.Expr]:
    if sign in (">=", ">"):
        return right, sign.replace(">", "<"), left
    return left, sign, right


def with_hint(text: str, symbols: Mapping[str, sympy.Symbol], owner: str) -> None:
    """Refuse an unknown name, and tell the nearest one that exists."""
    functions = ("sqrt", "exp", "log", "abs", "ceil", "floor", "max", "min")
    if not isinstance(text, str) or len(text) > 2000:
        return
    for name in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", re.sub(r"\d[\d.]*[eE][-+]?\d+", "", text)):
        if name in symbols or name in functions:
            continue
        near = get_close_matches(name, [*symbols, *functions, *AGGREGATES], n=3, cutoff=0.6)
        parts = set(name.split("_"))
        near += [s for s in symbols if len(parts & set(s.split("_"))) >= 2 and s not in near]
        hint = f" (near: {', '.join(near[:3])})" if near else ""
        if name in MEASURES and set(symbols) <= {word.name for word in CLIENT_WORDS}:
            raise InvalidInput(
                owner,
                "have quantities of single clients only; take one of the run out of it, as in"
                f" {name}*max_over_clients(client_smoothness) <= 1",
                repr(name[:40]),
            )
        raise InvalidInput(
            owner,
            f"use known symbols only, of `fltheory list quantities` or declared in `where`{hint}",
            repr(name[:40]),
        )


def hypotheses_of(data: Mapping[str, Any], key: str, letters: Letters) -> list[Assumption]:
    """The hypotheses that the fields participation, losses, step_size and averaging state."""
    found = []
    for field, known in CHOICES.items():
        if field not in data:
            continue
        kind = data[field]
        if kind not in known:
            near = get_close_matches(str(kind), known, n=1)
            hint = f" (near: {near[0]})" if near else ""
            raise InvalidInput(
                f"{field} of {letters.owner}",
                f"be one of {', '.join(known)}{hint}",
                repr(kind)[:40],
            )
        holds = ParticipationIs(kind) if field == "participation" else LossesAre(kind)
        found.append(Assumption(f"{key}.{field}", holds.says, holds))
    rounds = replace(letters, symbols={**letters.symbols, ROUND.name: ROUND})
    for field in BY_ROUND:
        if field in data:
            formula = rounds.formula(data[field], field)
            by_round = StepSizeIs(formula) if field == "step_size" else AveragingIs(formula)
            found.append(Assumption(f"{key}.{field}", by_round.says, by_round))
    return found


def without_end(sides: tuple[sympy.Expr, sympy.Expr], conditions: list[Condition]) -> bool:
    """Does a claim with these parts speak of the limit of a run?"""
    symbols = set().union(
        *(side.free_symbols for side in sides), *(one.symbols for one in conditions)
    )
    return about_limits(s.name for s in symbols)
