"""Origins: how the values of a counterexample are computed again.

An origin names its kind and holds data. The kind "check" runs the checks of the claim until one of
them refutes it; "draw" draws an instance of a search space from its choices; every other kind is a
pure function in the ORIGINS of a paper, called with the data of the file, for the claims whose
meaning (fltheory.claims.meaning) names that kind.
"""

from collections.abc import Callable, Iterator

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Counterexample, Verdict
from fltheory.claims.spaces.choices import MOST_CHOICES, Choices, Rejected
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, Values
from fltheory.papers import find_claim, modules, paper_spaces
from fltheory.papers.folders import remembered

Recompute = Callable[..., Values]
"""Computes values from the data of an origin, which are its keyword arguments."""

CHECK: Json = {"kind": "check"}
"""The origin of values that only the claim's own check computes."""

BY_THE_PAPER = frozenset({"check", "draw"})
"""Kinds whose values the paper's own checks and search spaces make, so that the file has no say in
what they mean."""


@remembered
def all_origins() -> dict[str, Recompute]:
    """Every kind of origin that has data."""
    found: dict[str, Recompute] = {"draw": drawn}
    for module in modules():
        found |= getattr(module, "ORIGINS", {})
    return found


def drawn(claim: str, space: str, choices: list[int]) -> Values:
    """The values of the instance that these choices make in a search space; an instance that
    violates a printed assumption is refused."""
    found = next(
        (one for one in paper_spaces() if one.id == space and one.names(find_claim(claim))), None
    )
    if (
        found is None
        or len(choices) > MOST_CHOICES
        or not all(isinstance(c, int) and c >= 0 for c in choices)
    ):
        raise ValueError("a search space of the papers, or choices that are no whole numbers")
    try:
        return found.draw(Choices.replay(choices), find_claim(claim)).values
    except Rejected as problem:
        raise ValueError(f"an assumption that fails: {problem.reason}") from None


def recompute(origin: Json, claim: Claim) -> Values:
    """The values that an origin gives; wrong data are refused by name."""
    data = {str(name): value for name, value in origin.items() if name != "kind"}
    if data.get("claim", claim.id) != claim.id:
        raise InvalidInput(
            "claim of an origin", f"be that of the file, {claim.id}", repr(data["claim"])[:60]
        )
    kind, known = origin.get("kind"), all_origins()
    if kind == "check":
        return refutation(claim).values
    if not isinstance(kind, str) or kind not in known:
        raise InvalidInput(
            "kind of origin",
            f"be one of {', '.join(sorted(['check', *known]))}",
            repr(kind)[:60],
        )
    try:
        return known[kind](**data)
    except (
        TypeError,
        ValueError,
        KeyError,
        IndexError,
        AttributeError,
        ArithmeticError,
    ) as problem:
        raise InvalidInput(
            f"data of an origin of kind {kind}",
            "be what that kind needs",
            f"trouble with {problem!r}"[:120],
        ) from None


def refutation(claim: Claim) -> Counterexample:
    """The counterexample of the first check that refutes the claim, computed again; fast checks run
    first."""
    for check in sorted(_checks(claim), key=lambda check: check.slow):
        found = check.decide(claim)
        if found.verdict is Verdict.REFUTED and found.counterexample is not None:
            return found.counterexample
    raise InvalidInput(
        f"claim {claim.id}",
        "be refuted by one of its checks for its values to be computed again",
        "none that refutes",
    )


def _checks(claim: Claim) -> Iterator[Check]:
    for module in modules():
        yield from (check for check in getattr(module, "CHECKS", ()) if check.claim == claim.id)
