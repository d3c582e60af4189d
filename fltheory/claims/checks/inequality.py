"""Inequalities of proofs over a whole class of functions: check stored certificates, and try to
break the inequality by exact members of the class."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import sympy

from fltheory.analysis.inequalities.expressions import Expression
from fltheory.analysis.inequalities.proof import Inequality, prove, verify
from fltheory.analysis.inequalities.sketch import Sketch
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim, Paper, UpperBound
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import record_folder
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, Values

DIGITS = 10**12
"""An irrational constant on the right is rounded down to these digits, so that slightly more is
proved."""


@dataclass(frozen=True)
class Stated:
    """The symbols of a claim over a class: `quantities` vary with the function, `numbers` do not,
    `assumed` expressions are at most 0.

    `members` are exact instances, computed independently, with the same participation and step
    sizes; they must satisfy the claim. The claim's assumptions are decided on the scenario, if
    there is one.
    """

    sketch: Sketch
    quantities: Mapping[str, Expression]
    numbers: Values
    assumed: tuple[Expression, ...] = ()
    members: tuple[Instance, ...] = ()
    scenario: Scenario | None = None


@dataclass(frozen=True)
class Lemma:
    """One case of a claim, stated on demand; its certificate is kept under `name`."""

    claim: str
    case: str
    state: Callable[[], Stated]

    @property
    def name(self) -> str:
        return f"{self.claim}-{self.case}"

    def certificate(self, claim: Claim) -> Json | None:
        """A proof; None if none is found."""
        return prove(
            inequality(claim, self.state()),
            says=f"{claim.id}, {self.case}: {claim.statement.left} <= right side",
        )


def certificate_file(name: str, paper: Paper) -> Path:
    """The file that holds the proof of an inequality."""
    return record_folder(paper) / "certificates" / "inequalities" / f"{name}.json"


def inequality(claim: Claim, stated: Stated) -> Inequality:
    """Both sides of a claim, which must be linear in the quantities, over the unknown vectors."""
    if not isinstance(claim.statement, UpperBound):
        raise InvalidInput(
            f"claim {claim.id}",
            "be an upper bound for certificates",
            type(claim.statement).__name__,
        )
    (left, _), (right, bare) = (
        _side(claim, stated, side) for side in (claim.statement.left, claim.statement.right)
    )
    return Inequality(
        stated.sketch, left, right, stated.assumed, positive=bare.is_nonnegative is True
    )


def _side(claim: Claim, stated: Stated, side: sympy.Expr) -> tuple[Expression, sympy.Expr]:
    numbers = {
        s: as_expression(stated.numbers[s.name])
        for s in side.free_symbols
        if s.name in stated.numbers
    }
    bare = sympy.expand(side.xreplace(numbers).doit())
    total, rest = Expression(), bare
    for symbol in sorted(bare.free_symbols, key=str):
        if symbol.name not in stated.quantities:
            raise InvalidInput(
                f"symbol {symbol.name} of {claim.id}",
                "be a quantity or a number of the case",
                "neither",
            )
        factor = bare.coeff(symbol, 1)
        if not factor.is_Rational:
            raise InvalidInput(
                f"factor of {symbol.name} in {claim.id}", "be rational for a certificate", factor
            )
        total = total + stated.quantities[symbol.name] * Fraction(factor.p, factor.q)
        rest = rest - factor * symbol
    constant = sympy.expand(rest)
    if constant.free_symbols:
        raise InvalidInput(f"side of {claim.id}", "be linear in the quantities", constant)
    if not constant.is_Rational:
        constant = sympy.Rational(sympy.floor(constant * DIGITS), DIGITS)
    return total + Fraction(constant.p, constant.q), bare


def check_inequalities(claim: Claim, lemmas: Iterable[Lemma], *, covers: str) -> Evidence:
    """CERTIFIED if every stored certificate is correct and about the claim's own two sides; REFUTED
    if an exact member breaks the claim.

    The sides and their ratio are those of the tightest member; the note says what is proved for the
    class.
    """
    listed = [(lemma, lemma.state()) for lemma in lemmas]
    tried = check_instances(
        claim, (m for _, stated in listed for m in stated.members), method=Method.SDP, covers=covers
    )
    if tried.verdict is not Verdict.SUPPORTED:
        return tried
    largest = Fraction(0)
    for lemma, stated in listed:
        path, failing = (
            certificate_file(lemma.name, claim.source.paper),
            unmet(claim, stated.scenario) if stated.scenario is not None else [],
        )
        if failing or not path.exists():
            why = (
                f"assumptions not met: {', '.join(failing)}"
                if failing
                else "no certificate is stored"
            )
            return Evidence(
                claim.id, Method.SDP, Verdict.UNDECIDED, covers, note=f"{lemma.name}: {why}"
            )
        try:
            largest = max(
                largest,
                verify(json.loads(path.read_text(encoding="utf-8")), inequality(claim, stated)),
            )
        except InvalidInput as reason:
            return Evidence(
                claim.id, Method.SDP, Verdict.UNDECIDED, covers, note=f"{lemma.name}: {reason}"
            )
    if largest > 1:
        return Evidence(
            claim.id,
            Method.SDP,
            Verdict.UNDECIDED,
            covers,
            note=f"only {float(largest):.6f} of the right side is proved",
        )
    note = (
        f"{len(listed)} certificates: left is proved to be at most {float(largest):.6f} times right"
        " over the class"
    )
    return Evidence(
        claim.id,
        Method.SDP,
        Verdict.CERTIFIED,
        covers,
        tried.left,
        tried.right,
        tried.looseness,
        note,
        scope=tried.scope,
        trivial=tried.trivial,
    )


def checks_of(lemmas: Iterable[Lemma], *, covers: str) -> list[Check]:
    """One check for each claim of the lemmas; its planted falsehood has half of the left side as
    right side, which the members refute."""
    by_claim: dict[str, list[Lemma]] = {}
    for lemma in lemmas:
        by_claim.setdefault(lemma.claim, []).append(lemma)
    return [
        Check(name, partial(check_inequalities, lemmas=cases, covers=covers), plant=half_of_itself)
        for name, cases in by_claim.items()
    ]


def half_of_itself(claim: Claim) -> Claim:
    """A claim that is false wherever the left side is positive."""
    return claim.planted(right=claim.statement.left / 2)
