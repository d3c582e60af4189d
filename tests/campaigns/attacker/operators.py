"""Ways to make a true claim false: each operator yields altered copies of a claim and says in words
what was done to it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy

from fltheory.claims.claim import Claim, Identity, LowerBound, Order, UpperBound
from fltheory.core.vocabulary import symbol

Altered = tuple[Claim, str]
"""A changed claim, and what was changed."""

Rule = Callable[[sympy.Expr], Iterable[tuple[sympy.Expr, str]]]
"""What may stand in the place of one part of a formula."""

PAIRS = (
    ("max_staleness", "mean_staleness"),
    ("num_clients", "clients_per_round"),
    ("max_staleness", "mean_client_max_staleness"),
    ("slowest_time", "fastest_time"),
    ("first_mean", "second_mean"),
    ("num_rounds", "local_steps"),
    ("num_clients", "num_rounds"),
    ("num_clients", "local_steps"),
    ("gradient_noise", "gradient_bound"),
    ("mean_inverse_chance", "least_chance"),
    ("first_optimum", "second_optimum"),
    ("first_block", "second_block"),
    ("server_step_size", "local_step_size"),
    ("smoothness", "strong_convexity"),
    ("mean_staleness", "mean_client_max_staleness"),
)
"""Quantities that are easily taken for one another."""


@dataclass(frozen=True)
class Operator:
    """One kind of falsehood."""

    name: str
    says: str
    alter: Callable[[Claim], Iterator[Altered]]


def rewrites(formula: sympy.Expr, rule: Rule) -> Iterator[tuple[sympy.Expr, str]]:
    """The formula with exactly one part replaced as the rule says, for every part.

    >>> x = sympy.Symbol("x")
    >>> bases = lambda part: [(part.base, "")] if part.is_Pow else []
    >>> [str(new) for new, _ in rewrites(x**2 + 3 * x**4, bases)]
    ['3*x**4 + x', 'x**2 + 3*x']
    """
    yield from rule(formula)
    for index, part in enumerate(formula.args):
        if isinstance(part, sympy.Expr):
            for new, what in rewrites(part, rule):
                yield formula.func(*formula.args[:index], new, *formula.args[index + 1 :]), what


def on_sides(rule: Rule) -> Callable[[Claim], Iterator[Altered]]:
    """One part of the right side replaced, then of the left one."""

    def alter(claim: Claim) -> Iterator[Altered]:
        for side in ("right", "left"):
            for new, what in rewrites(getattr(claim.statement, side), rule):
                if new.is_finite is not False and not new.has(sympy.nan, sympy.zoo):
                    yield claim.planted(**{side: new}), f"{what} on the {side}"

    return alter


def _scaled(claim: Claim) -> Iterator[Altered]:
    """The constant of the right side, made too small for an upper bound, too large for a lower one,
    and wrong for an identity."""
    for factor in (sympy.Rational(1, 2), sympy.Rational(1, 10), sympy.Rational(1, 100)):
        used = factor if isinstance(claim.statement, UpperBound) else 1 / factor
        if not isinstance(claim.statement, Order):
            yield (
                claim.planted(right=used * claim.statement.right),
                f"the right side is multiplied by {used}",
            )


def _sign_flipped(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Add:
        for term in part.args:
            yield part - 2 * term, f"the sign of {term} is flipped"


def _term_dropped(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Add:
        for term in part.args:
            if not term.is_number:
                yield part - term, f"the term {term} is dropped"


def _off_by_one(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Add:
        for term in part.args:
            if term.is_number:
                yield part - term, f"the {term} is forgotten in {part}"


def _factor_dropped(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Mul:
        for factor in part.args:
            if not factor.is_number:
                yield part / factor, f"the factor {factor} is dropped"


def _square_lost(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Pow and part.exp == 2:
        yield part.base, f"the square of {part.base} is lost"


def _exponent_changed(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Pow and part.exp.is_number:
        more = part.exp + sympy.sign(part.exp)
        yield part.base**more, f"the exponent {part.exp} of {part.base} becomes {more}"
    elif isinstance(part, sympy.Symbol) and not part.is_integer:
        yield part**2, f"{part} is squared"


def _index_shifted(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if isinstance(part, sympy.Symbol) and part.is_integer:
        yield part + 1, f"{part} is counted one too high"
        yield part - 1, f"{part} is counted one too low"


def _constant_changed(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if part.is_Mul:
        for factor in part.args:
            if factor.is_Rational and factor not in (1, -1):
                yield part / factor, f"the constant {factor} is left out"


def _extreme_exchanged(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if isinstance(part, sympy.Max):
        yield sympy.Min(*part.args), f"the larger of {part.args} becomes the smaller"
        yield (
            sympy.Add(*part.args) / len(part.args),
            f"the larger of {part.args} becomes their average",
        )
    if isinstance(part, sympy.Min):
        yield sympy.Max(*part.args), f"the smaller of {part.args} becomes the larger"


def _rounding_changed(part: sympy.Expr) -> Iterator[tuple[sympy.Expr, str]]:
    if isinstance(part, sympy.ceiling):
        yield sympy.floor(part.args[0]), f"{part.args[0]} is rounded down, not up"
        yield part.args[0], f"{part.args[0]} is not rounded up"
    if isinstance(part, sympy.log):
        yield sympy.S.One, f"{part} is dropped"


def _replaced(name: str, by: sympy.Expr, what: str) -> Callable[[Claim], Iterator[Altered]]:
    """A quantity of the right side replaced wherever it stands there."""

    def alter(claim: Claim) -> Iterator[Altered]:
        for found in sorted(claim.statement.right.free_symbols, key=str):
            if found.name == name:
                yield claim.planted(right=claim.statement.right.subs(found, by)), what

    return alter


def _exchanged(claim: Claim) -> Iterator[Altered]:
    """A quantity replaced by another one of the same claim that is easily taken for it, and any two
    of the same first word."""
    names = {found.name: found for found in claim.symbols}
    listed = [pair for one, other in PAIRS for pair in ((one, other), (other, one))]
    alike = [(a, b) for a in sorted(names) for b in sorted(names) if a != b and same_kind(a, b)]
    for old, new in [*listed, *alike]:
        if old in names and new in names:
            for side in ("right", "left"):
                formula = getattr(claim.statement, side)
                if names[old] in formula.free_symbols and formula != names[old]:
                    yield (
                        claim.planted(**{side: formula.subs(names[old], names[new])}),
                        f"{old} is replaced by {new} on the {side}",
                    )


def same_kind(one: str, other: str) -> bool:
    """Do two names differ in their last word only, or agree in it?"""
    return (
        one.rsplit("_", 1)[0] == other.rsplit("_", 1)[0]
        or one.split("_")[-1] == other.split("_")[-1]
    )


def _mean_for_extreme(claim: Claim) -> Iterator[Altered]:
    """An average in the place of a maximum and the other way round."""
    for old, new in (
        ("max_staleness", "mean_staleness"),
        ("mean_staleness", "max_staleness"),
        ("mean_client_max_staleness", "mean_staleness"),
        ("mean_squared_gradient", "min_squared_gradient"),
        ("least_chance", "mean_chance"),
        ("mean_inverse_chance", "least_inverse_chance"),
    ):
        for side in ("right", "left"):
            formula = getattr(claim.statement, side)
            for found in formula.free_symbols:
                if (
                    found.name == old
                    and new in {word.name for word in formula.free_symbols} | _KNOWN
                ):
                    yield (
                        claim.planted(**{side: formula.subs(found, symbol(new))}),
                        f"{old} is replaced by {new} on the {side}",
                    )


_KNOWN = {"max_staleness", "mean_staleness", "mean_client_max_staleness", "min_squared_gradient"}


def _reversed(claim: Claim) -> Iterator[Altered]:
    kinds: dict[type, Any] = {UpperBound: LowerBound, LowerBound: UpperBound}
    kind = kinds.get(type(claim.statement))
    if kind is not None:
        yield (
            replace(claim, statement=kind(claim.statement.left, claim.statement.right)),
            "the inequality is reversed",
        )


def _equality(claim: Claim) -> Iterator[Altered]:
    if isinstance(claim.statement, UpperBound | LowerBound):
        yield (
            replace(claim, statement=Identity(claim.statement.left, claim.statement.right)),
            "the inequality is said to be an equality",
        )


def _condition_removed(claim: Claim) -> Iterator[Altered]:
    for lost in claim.assumes:
        if lost.stated:
            kept = tuple(a for a in claim.assumes if a is not lost)
            yield replace(claim, assumes=kept), f"the condition {lost.id} is removed: {lost.says}"


OPERATORS = (
    Operator("condition-removed", "a printed condition is removed", _condition_removed),
    Operator(
        "clients-for-sample",
        "the number of all clients stands for those used per round, or the other way round",
        lambda claim: (
            pair
            for old, new in (
                ("num_clients", "clients_per_round"),
                ("clients_per_round", "num_clients"),
            )
            for pair in _replaced(old, symbol(new), f"{old} is replaced by {new} on the right")(
                claim
            )
        ),
    ),
    Operator(
        "mean-for-maximum",
        "an average stands for a maximum or a minimum, or the other way round",
        _mean_for_extreme,
    ),
    Operator(
        "local-steps-dropped",
        "the number of local steps is dropped",
        _replaced("local_steps", sympy.S.One, "local steps are taken to be 1"),
    ),
    Operator(
        "extreme-exchanged",
        "a maximum becomes a minimum or an average, or a minimum a maximum",
        on_sides(_extreme_exchanged),
    ),
    Operator(
        "rounding-changed",
        "rounding up becomes rounding down or none; a logarithm is dropped",
        on_sides(_rounding_changed),
    ),
    Operator("square-lost", "a square is lost", on_sides(_square_lost)),
    Operator("off-by-one", "an added number is forgotten", on_sides(_off_by_one)),
    Operator("index-shifted", "a count is off by one", on_sides(_index_shifted)),
    Operator("sign-flipped", "the sign of one term is flipped", on_sides(_sign_flipped)),
    Operator("term-dropped", "one term is dropped", on_sides(_term_dropped)),
    Operator("factor-dropped", "one factor is dropped", on_sides(_factor_dropped)),
    Operator("constant-left-out", "a numerical factor is left out", on_sides(_constant_changed)),
    Operator("exponent-changed", "an exponent is changed", on_sides(_exponent_changed)),
    Operator("quantities-exchanged", "a quantity stands in the place of another", _exchanged),
    Operator("reversed", "an inequality is reversed", _reversed),
    Operator("equality", "an inequality is said to be an equality", _equality),
    Operator("scaled", "the constant of the right side is scaled", _scaled),
)
"""Every kind of falsehood, the peculiar ones first."""
