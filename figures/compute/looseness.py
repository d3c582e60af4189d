"""How tight the bounds that stand are: the largest left/right that the ledger records for each
theorem and corollary."""

import ast
import math
import operator
import re
from typing import Any

from figures.compute.verdicts import LEDGER
from fltheory.claims.claim import Claim, UpperBound
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.ledger.lines import read, verdicts
from fltheory.papers import all_claims

STANDING = (Verdict.PROVED, Verdict.CERTIFIED, Verdict.SUPPORTED)
ABOUT = re.compile(r"\(about (\S+)\)$")
WHOLE = re.compile(r"(Theorem|Corollary) [\d.]+")
PART = re.compile(
    r"step|proof|term |inequality|condition|display|threshold|offset|its constant|without"
    r" noise|stability|admissible"
)

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CALLS = {"sqrt": math.sqrt, "exp": math.exp, "log": math.log}


def number(text: str) -> float | None:
    """The value of the ledger's exact text, None where it is no number.

    >>> texts = ("5/8", "2*sqrt(4) - E*exp(-1)", "123...789 (about 0.25)", "oo", "")
    >>> tuple(number(text) for text in texts)
    (0.625, 3.0, 0.25, None, None)
    """
    about = ABOUT.search(text)
    try:
        return float(about[1]) if about else float(_value(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError):
        return None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() as whole):
            return whole
        case ast.Name(id="E"):
            return math.e
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _CALLS:
            return _CALLS[name](_value(argument))
    raise ValueError("no number")


def tightest(lines: list[Evidence]) -> float | None:
    """The largest left/right of lines in which both sides are positive."""
    ratios = [
        ratio
        for line in lines
        if (ratio := number(line.looseness)) is not None
        and ratio > 0
        and (number(line.right) or 0) > 0
    ]
    return max(ratios, default=None)


def whole_theorem(claim: Claim) -> bool:
    """Is this upper bound a theorem or a corollary, not a step of its proof?"""
    whole = WHOLE.match(claim.source.place) is not None and not PART.search(
        f"{claim.source.place} {claim.id}"
    )
    return whole and isinstance(claim.statement, UpperBound)


def numbers() -> dict[str, Any]:
    """Bounds that stand, tightest first."""
    lines, claims = read(LEDGER), all_claims()
    by_claim: dict[str, list[Evidence]] = {}
    for line in lines:
        by_claim.setdefault(line.evidence.claim, []).append(line.evidence)
    standing = [
        claims[name]
        for name, verdict in verdicts(lines).items()
        if verdict in STANDING and name in claims
    ]
    found = [
        {
            "claim": claim.id,
            "paper": claim.source.paper.key,
            "place": claim.source.place,
            "as_printed": not claim.source.ours,
            "says": claim.says,
            "ratio": ratio,
        }
        for claim in standing
        if whole_theorem(claim) and (ratio := tightest(by_claim[claim.id])) is not None
    ]
    return {
        "title": "How tight the bounds that stand are",
        "caption": (
            "For each theorem and corollary of the ledger that is an explicit upper bound and"
            " stands: the largest ratio of its left side to its right side that was found. 1 is"
            " attained; 1/10 means that everything tried stayed ten times below. A small ratio is a"
            " loose bound, or a hard case not yet found."
        ),
        "bounds": sorted(found, key=lambda bound: (-bound["ratio"], bound["claim"])),
    }
