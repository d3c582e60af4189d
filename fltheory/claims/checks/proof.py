"""Proofs in steps: identities and inequalities that algebra decides for all values of their
symbols, and exact runs that may contradict the claim."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import sympy

from fltheory.claims.checks.symbolic import nonnegative
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict


class Decided(Protocol):
    """What a proof consists of."""

    @property
    def says(self) -> str: ...

    def holds(self) -> bool: ...


@dataclass(frozen=True)
class ProofStep:
    """One step: `slack` is at least 0 (or equal to 0, if `equal`) for all values that the
    assumptions of its symbols allow.

    >>> x = sympy.Symbol("x", positive=True)
    >>> ProofStep("a square is positive", x**2).holds(), ProofStep("x >= 1", x - 1).holds()
    (True, False)
    >>> ProofStep("0 is 0", x - x, equal=True).holds()
    True
    """

    says: str
    slack: sympy.Expr
    equal: bool = False

    def holds(self) -> bool:
        simplified = sympy.simplify(self.slack)
        return bool(simplified == 0) if self.equal else nonnegative(simplified)


def check_proof(claim: Claim, steps: Iterable[Decided], *, runs: Evidence, covers: str) -> Evidence:
    """PROVED if every step holds; `runs` is the evidence of exact instances on the same claim,
    which may refute it.

    If algebra does not confirm a step, the claim is UNDECIDED, never REFUTED: the proof fails, not
    the claim.
    """
    if runs.verdict is Verdict.REFUTED:
        return runs
    listed = list(steps)
    failing = [step.says for step in listed if not step.holds()]
    if failing or not listed:
        why = f"the proof does not go through: {'; '.join(failing) or 'no step was given'}"
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.UNDECIDED,
            covers,
            runs.left,
            runs.right,
            runs.looseness,
            why,
        )
    return replace(
        runs,
        method=Method.SYMBOLIC,
        verdict=Verdict.PROVED,
        scenario=covers,
        counterexample=None,
        note=(
            f"{len(listed)} steps, each for all values of its symbols; the sides are those of the"
            " tightest exact run"
        ),
    )
