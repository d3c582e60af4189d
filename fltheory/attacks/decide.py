"""Decide exactly whether an instance contradicts a claim, and refute the claim by it."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import sympy

from fltheory.claims.checks.instances import Instance, refuted, violated
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.spaces.choices import Rejected, Taken
from fltheory.claims.spaces.scoring import look
from fltheory.core.enclosure import Comparison, as_expression, compare, shown
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Json
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.replays import replay
from fltheory.papers import paper_spaces


class NotReplayed(ValueError):
    """A counterexample whose file does not contradict the claim; the message says why."""


def told_factor(factor: Fraction | float, *, up: bool = False) -> str:
    """A factor above 1 in decimals: four digits, or enough to show two digits of its excess over 1;
    rounded `up`, it is never too small.

    >>> told_factor(Fraction(100, 99)), told_factor(Fraction(100, 99), up=True)
    ('1.01', '1.011')
    >>> told_factor(1.0000432), told_factor(4000)
    ('1.000043', '4000')
    """
    exact = Fraction(factor)
    places = max(3 - math.floor(math.log10(exact)), 1 - math.floor(math.log10(exact - 1)))
    scale = Fraction(10) ** places
    rounded = (math.ceil if up else round)(exact * scale) / scale
    return f"{float(rounded):.{places + math.floor(math.log10(exact)) + 1}g}"


def contradicts(claim: Claim, instance: Instance) -> Comparison | None:
    """The exact comparison of both sides if it contradicts the claim, UNKNOWN if it is too close to
    decide, else None."""
    seen = look(claim, instance)
    if not seen.promising:
        return None
    if seen.exact:
        return compare(seen.left, seen.right)
    try:
        left, right = (
            evaluate(claim.statement.left, instance.values),
            evaluate(claim.statement.right, instance.values),
        )
        comparison = compare(left, right)
    except NotExact:
        return Comparison.UNKNOWN
    return comparison if comparison is Comparison.UNKNOWN or violated(claim, comparison) else None


def refutation(claim: Claim, instance: Instance, *, covers: str) -> Evidence:
    """REFUTED, after a replay has confirmed the run, its printed assumptions, and the comparison of
    both sides."""
    if isinstance(claim.statement, Order):
        raise InvalidInput(
            f"claim {claim.id}", "not be an order, which one instance cannot refute", "an order"
        )
    left, right = (
        evaluate(claim.statement.left, instance.values),
        evaluate(claim.statement.right, instance.values),
    )
    evidence = refuted(
        claim, instance, left, right, method=Method.ATTACK, covers=f"{covers}: {where(instance)}"
    )
    told = json.loads(json.dumps(to_file(claim, evidence)))  # as a reader of the file has it
    again = replay(told, claim, values_are_known=True)
    if not again.confirmed:
        raise NotReplayed("; ".join(again.steps))
    return evidence


def drawn_from(claim: Claim, space: str, choices: Taken) -> Json | None:
    """The origin of values that a region of a paper draws from these choices."""
    if space not in {one.id for one in paper_spaces()}:
        return None
    return {"kind": "draw", "claim": claim.id, "space": space, "choices": list(choices)}


def with_choices(claim: Claim, instance: Instance, space: str, choices: Taken) -> Instance:
    """The instance with the choices from which it was drawn as its origin, where it has no run and
    no other origin: what its file needs to be read by itself."""
    told, origin = instance.scenario or {}, drawn_from(claim, space, choices)
    if "run" in told or "origin" in told or origin is None:
        return instance
    return replace(instance, scenario={**told, "origin": origin})


def first_confirmed(
    claim: Claim, instances: Iterable[Instance], *, covers: str
) -> tuple[Instance, Evidence] | None:
    """The first instance whose file, read again by itself, contradicts the claim and meets every
    condition; None if there is none."""
    for instance in instances:
        try:
            return instance, refutation(claim, instance, covers=covers)
        except (NotReplayed, InvalidInput, NotExact, Rejected):
            continue
    return None


def where(instance: Instance) -> str:
    """An instance in words: its own sentence, or the values of its quantities.

    >>> where(Instance({"num_clients": 2, "local_step_size": "1/2"}))
    'num clients 2, local step size 1/2'
    """
    return instance.says or ", ".join(
        f"{name.replace('_', ' ')} {shown(as_expression(value))}"
        for name, value in instance.values.items()
    )


def told_ratio(claim: Claim, instance: Instance) -> str:
    """left/right as exact text."""
    left, right = (
        evaluate(claim.statement.left, instance.values),
        evaluate(claim.statement.right, instance.values),
    )
    return shown(sympy.S.One if left == right else sympy.S.Infinity if right == 0 else left / right)
